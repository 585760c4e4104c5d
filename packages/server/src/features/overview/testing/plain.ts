/** Computes the overview directly from the tables, as a slow reference for the tallies. */
import type { Overview } from '@postil/domain/overview'
import { forecastOf } from '@postil/domain/overview-rules'
import type { Id, Json } from '@postil/domain/schema'
import type { Database } from '../../../storage/database.ts'
import { DATASET_NO } from '../../../storage/dataset-numbers.ts'
import type { DatasetSettings } from '../../datasets/settings.ts'
import type { StoredDataset } from '../../datasets/store.ts'

interface Row {
  record_no: number
  record_status: string
  user_id: Id
  status: 'submitted' | 'draft' | 'discarded'
  updated_at: string
  values: string
}

interface Suggestion {
  record_no: number
  question_no: number
  value: string
  score_min: number | null
  agent: string | null
}

interface Asked {
  days: number
  utcOffset: number
  now: string
}

export async function countPlainly(
  db: Database,
  dataset: StoredDataset,
  settings: DatasetSettings,
  asked: Asked,
): Promise<Omit<Overview, 'reading'>> {
  const rows = await db.sql.all<Row>(
    `select p.record_no, r.status as record_status, p.user_id, p.status, p.updated_at, p."values"
     from responses p join records r on r.no = p.record_no where p.dataset_no = ${DATASET_NO}`,
    [dataset.id],
  )
  const suggestions = await db.sql.all<Suggestion>(
    `select s.record_no, s.question_no, s.value, s.score_min, s.agent from suggestions s
     join records r on r.no = s.record_no where r.dataset_no = ${DATASET_NO}`,
    [dataset.id],
  )
  const dates = listDates(asked)
  const dateOf = (time: string) => new Date(timeOf(time) + asked.utcOffset * 60_000).toISOString().slice(0, 10)
  const completedOn = listCompletions(rows, dataset.distribution.min_submitted).map(dateOf)
  const remaining = dataset.records_count - dataset.completed_count
  const inProgress = new Set(rows.filter(row => row.record_status !== 'completed').map(row => row.record_no)).size
  const pairs = listPairs(rows, suggestions, settings)
  const submitted = rows.filter(({ status }) => status === 'submitted')
  const counted = (date: string, among: string[]) => among.filter(other => other === date).length
  const recent = listDates({ ...asked, days: 14 }).map(date => counted(date, completedOn))
  return {
    records: {
      total: dataset.records_count,
      completed: dataset.completed_count,
      in_progress: inProgress,
      not_started: remaining - inProgress,
    },
    responses: countStatuses(rows),
    median_seconds: medianOf([...Map.groupBy(rows, row => row.user_id).values()].flatMap(gapsOf)),
    suggestions: acceptance(pairs),
    forecast: forecastOf({ completed: recent, remaining, today: Math.floor(Date.parse(`${dates.at(-1)}T00:00Z`) / 86_400_000) }),
    days: dates.map(date => ({
      date,
      completed: counted(date, completedOn),
      submitted: submitted.filter(row => dateOf(row.updated_at) === date).length,
    })),
    ...(await countPeople(db, rows, pairs, { dates, dateOf })),
    ...countQuestions(submitted, pairs, settings),
  }
}

const timeOf = (time: string) => Date.parse(`${time}Z`)

const listDates = ({ days, utcOffset, now }: Asked) =>
  Array.from({ length: days }, (_, i) =>
    new Date(timeOf(now) + utcOffset * 60_000 - (days - 1 - i) * 86_400_000).toISOString().slice(0, 10),
  )

const countStatuses = (rows: readonly Row[]) => {
  const of = (status: Row['status']) => rows.filter(row => row.status === status).length
  return { submitted: of('submitted'), draft: of('draft'), discarded: of('discarded') }
}

/** Lists the times at which completed records got their last required response. */
const listCompletions = (rows: readonly Row[], min: number): string[] =>
  [...Map.groupBy(rows, row => row.record_no).values()].flatMap(group => {
    if (group[0]?.record_status !== 'completed') return []
    const times = group.filter(({ status }) => status === 'submitted').map(row => row.updated_at)
    return times.sort().slice(min - 1, min)
  })

function gapsOf(rows: readonly Row[]): number[] {
  const times = rows.filter(({ status }) => status !== 'draft').map(row => timeOf(row.updated_at))
  times.sort((a, b) => a - b)
  return times.slice(1).flatMap((time, i) => {
    const gap = time - (times[i] ?? 0)
    return gap >= 400 && gap <= 300_000 ? [gap] : []
  })
}

function medianOf(gaps: number[]): number | null {
  if (gaps.length < 5) return null
  gaps.sort((a, b) => a - b)
  const half = gaps.length / 2
  const median =
    gaps.length % 2 === 1 ? (gaps[Math.floor(half)] as number) : ((gaps[half - 1] as number) + (gaps[half] as number)) / 2
  return Math.round(median / 100) / 10
}

interface Pair {
  userId: Id
  question: string
  agent: string | null
  score: number | null
  suggested: Json
  isSame: boolean
}

/** Lists every submitted answer to a question that had a suggestion. */
const listPairs = (rows: readonly Row[], suggestions: readonly Suggestion[], settings: DatasetSettings): Pair[] =>
  rows.flatMap(row =>
    settings.questions.flatMap((question, q): Pair[] => {
      const answer = answerOf(row, question.name)
      const found = suggestions.find(({ record_no, question_no }) => record_no === row.record_no && question_no === question.no)
      const isAnswered = (settings.documents.questions[q]?.type.toSearch(answer ?? null) ?? []).length > 0
      if (row.status !== 'submitted' || answer === undefined || !found || !isAnswered) return []
      const suggested = JSON.parse(found.value)
      const isSame = sorted(answer) === sorted(suggested)
      return [{ userId: row.user_id, question: question.name, agent: found.agent, score: found.score_min, suggested, isSame }]
    }),
  )

const answerOf = (row: Row, name: string): Json | undefined => JSON.parse(row.values)[name]?.value

const sorted = (value: Json): string =>
  Array.isArray(value)
    ? value
        .map(entry =>
          entry !== null && typeof entry === 'object' ? JSON.stringify(Object.entries(entry).sort()) : String(entry),
        )
        .sort()
        .join('\n')
    : JSON.stringify(value)

const acceptance = (pairs: readonly Pair[]) => ({ answered: pairs.length, accepted: pairs.filter(({ isSame }) => isSame).length })

async function countPeople(
  db: Database,
  rows: readonly Row[],
  pairs: readonly Pair[],
  { dates, dateOf }: { dates: string[]; dateOf(time: string): string },
) {
  const people: Overview['people'] = []
  for (const [userId, own] of Map.groupBy(rows, row => row.user_id)) {
    const user = await db.kysely
      .selectFrom('users')
      .select(['id', 'username', 'first_name', 'last_name'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
    const on = (date: string) => own.filter(row => row.status === 'submitted' && dateOf(row.updated_at) === date).length
    people.push({
      ...user,
      ...countStatuses(own),
      days: dates.map(on),
      median_seconds: medianOf(gapsOf(own)),
      last_active_at: `${new Date(Math.max(...own.map(row => timeOf(row.updated_at)))).toISOString().slice(0, -1)}000`,
      suggestions: acceptance(pairs.filter(pair => pair.userId === userId)),
    })
  }
  people.sort(
    (a, b) => b.submitted - a.submitted || timeOf(b.last_active_at) - timeOf(a.last_active_at) || (a.id < b.id ? -1 : 1),
  )
  return { people, people_total: people.length }
}

function countQuestions(submitted: readonly Row[], pairs: readonly Pair[], settings: DatasetSettings) {
  const agents: Overview['agents'] = []
  const questions = settings.questions.map((question, q): Overview['questions'][number] => {
    const type = settings.documents.questions[q]?.type
    const toValues = (value: Json | undefined) =>
      value === undefined ? [] : [...new Set(type?.toSearch(value).map(String) ?? [])]
    const given = submitted.map(row => toValues(answerOf(row, question.name))).filter(values => values.length > 0)
    const own = pairs.filter(pair => pair.question === question.name)
    const proposed = own.flatMap(pair => toValues(pair.suggested))
    const all = type?.searchAs === 'none' ? [] : [...new Set([...given.flat(), ...proposed])]
    const values = all.map(value => ({
      value,
      count: given.flat().filter(other => other === value).length,
      suggested: proposed.filter(other => other === value).length,
    }))
    values.sort((a, b) => b.count - a.count || b.suggested - a.suggested || (a.value < b.value ? -1 : 1))
    agents.push(...countAgents(question.name, own))
    const { id, name, title } = question
    return { id, name, title, type: question.settings.type, answered: given.length, values, other: 0 }
  })
  return { questions, agents }
}

const countAgents = (question: string, pairs: readonly Pair[]): Overview['agents'] =>
  [...Map.groupBy(pairs, pair => pair.agent)]
    .map(([agent, own]) => ({
      question,
      agent,
      ...acceptance(own),
      scores: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap(tenth => {
        const [from, to] = [tenth / 10, (tenth + 1) / 10]
        const inside = own.filter(({ score }) => score !== null && score >= from && (score < to || to === 1))
        return inside.length === 0 ? [] : [{ from, to, ...acceptance(inside) }]
      }),
      unscored: acceptance(own.filter(({ score }) => score === null)),
    }))
    .sort((a, b) => b.answered - a.answered || ((a.agent ?? '') < (b.agent ?? '') ? -1 : 1))
