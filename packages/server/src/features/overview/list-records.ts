import { allow, invalid } from '@postil/domain/errors'
import type { OverviewRecords, OverviewRecordsQuery } from '@postil/domain/overview'
import { canReadOverview } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset } from '../datasets/store.ts'
import { STATUS_CODES } from './response-rows.ts'
import { listRecordNames, loadRecordNo } from './store.ts'
import type { CountedQuestion, Tally } from './tally.ts'

/** Lists the records behind a number of the overview, from the same rows as the number. */
export function listOverviewRecords(ctx: RequestContext, id: Id, query: OverviewRecordsQuery): Promise<OverviewRecords> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, id)
    allow(canReadOverview(ctx.actor, dataset))
    const { record_id, limit = 50 } = query
    const recordNo = record_id === undefined ? null : await loadRecordNo(db, dataset.id, record_id)
    const found = await ctx.tallies.use(db, dataset, tally => {
      const recordNos = findRecordNos(tally, query)
      const place = recordNo === null ? null : findPlace(recordNos, recordNo)
      const offset = place === null ? (query.offset ?? 0) : Math.max(0, place - 1)
      return {
        offset,
        place,
        reading: tally.reached !== null,
        total: recordNos.length,
        page: [...recordNos.subarray(offset, offset + limit)],
      }
    })
    const { page, ...numbers } = found
    return { ...numbers, items: await listRecordNames(db, page) }
  })
}

/** Returns how many of the ascending numbers are smaller. */
function findPlace(recordNos: Float64Array, recordNo: number): number {
  let [first, last] = [0, recordNos.length]
  while (first < last) {
    const middle = (first + last) >> 1
    if ((recordNos[middle] as number) < recordNo) first = middle + 1
    else last = middle
  }
  return first
}

/** Returns each record number once, ascending. */
function findRecordNos(tally: Tally, query: OverviewRecordsQuery): Float64Array {
  const { rows } = tally
  const isFit = toCondition(tally, query)
  const found = new Float64Array(rows.size)
  let size = 0
  for (let at = 0; at < rows.size; at++) {
    // The rows of a record are adjacent, so comparing with the last one removes duplicates.
    if (rows.statuses[at] !== 0 && found[size - 1] !== rows.recordNos[at] && isFit(at))
      found[size++] = rows.recordNos[at] as number
  }
  return found.subarray(0, size).sort()
}

function toCondition(tally: Tally, query: OverviewRecordsQuery): (at: number) => boolean {
  const { rows } = tally
  const conditions: ((at: number) => boolean)[] = []
  const { record_status, status, user_id } = query
  if (record_status !== undefined) {
    const completed = record_status === 'completed' ? 1 : 0
    conditions.push(at => rows.completed[at] === completed)
  }
  if (status !== undefined) {
    const code = STATUS_CODES.indexOf(status)
    conditions.push(at => rows.statuses[at] === code)
  }
  if (user_id !== undefined) {
    const code = tally.users.entries().find(([, id]) => id === user_id)?.[0] ?? 0
    conditions.push(at => rows.users[at] === code)
  }
  conditions.push(...toQuestionConditions(tally, query))
  return at => conditions.every(isFit => isFit(at))
}

function toQuestionConditions(tally: Tally, query: OverviewRecordsQuery): ((at: number) => boolean)[] {
  const { question: name, value, agent, score_tenths, accepted } = query
  const isAboutSuggestion = agent !== undefined || score_tenths !== undefined || accepted !== undefined
  if (name === undefined) {
    if (value === undefined && !isAboutSuggestion) return []
    throw invalid('`value`, `agent`, `score_tenths` and `accepted` are about one question: name it in `question`', ['question'])
  }
  const q = tally.questions.findIndex(question => question.name === name)
  const question = tally.questions[q]
  if (question === undefined) throw invalid(`\`${name}\` is not a question of this dataset`, ['question'])
  const [answers, suggested] = [tally.rows.answers[q] as Uint32Array, tally.rows.suggested[q] as Uint32Array]
  const conditions = [(at: number) => answers[at] !== 0]
  if (value !== undefined) {
    const codes = new Set(question.answers.entries().flatMap(([code, values]) => (values.includes(value) ? [code] : [])))
    conditions.push(at => codes.has(answers[at] as number))
  }
  if (isAboutSuggestion) {
    const codes = listSuggestionCodes(tally, question, query)
    conditions.push(at => codes.has((suggested[at] as number) >>> 1))
  }
  if (accepted !== undefined) conditions.push(at => ((suggested[at] as number) & 1) === (accepted ? 1 : 0))
  return conditions
}

function listSuggestionCodes(
  tally: Tally,
  question: CountedQuestion,
  { agent, score_tenths }: OverviewRecordsQuery,
): Set<number> {
  const bucket = score_tenths === -1 ? null : score_tenths
  const nameOf = (code: number) => (code === 0 ? '' : tally.agents.at(code))
  return new Set(
    question.suggestions.entries().flatMap(([code, suggestion]) => {
      const isOfAgent = agent === undefined || nameOf(suggestion.agent) === agent
      const isOfScore = bucket === undefined || suggestion.bucket === bucket
      return isOfAgent && isOfScore ? [code] : []
    }),
  )
}
