/** The counted data of one dataset's responses, and how it is read. */
import { isSameAnswer, scoreBucketOf } from '@postil/domain/overview-rules'
import { ownProperty } from '@postil/domain/own-property'
import type { Id, Json } from '@postil/domain/schema'
import { answerValues } from '@postil/domain/search/document'
import type { Queryable } from '../../storage/database.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import { Codes } from './codes.ts'
import { type NewRow, ResponseRows, STATUS_CODES } from './response-rows.ts'
import { type RecordSelection, type ResponseBlock, readResponses, readSuggestions } from './store.ts'

/** The parts of a suggestion that are counted. */
export interface SuggestedCode {
  /** 0 if there is no agent. */
  agent: number
  /** Score bucket; null if there is no score. */
  bucket: number | null
  /** Code of the suggested answer. */
  answer: number
}

export interface CountedQuestion {
  id: Id
  no: number
  name: string
  /** Codes of answers by their counted values. */
  answers: Codes<string[]>
  suggestions: Codes<SuggestedCode>
}

export interface Tally {
  /** Identifies the questions; if they change, the tally is rebuilt. */
  stamp: string
  changeNo: number
  /** Responses of records up to this number have been read; null if all have. */
  reached: number | null
  /** Number of records read. */
  done: number
  users: Codes<Id>
  agents: Codes<string>
  questions: CountedQuestion[]
  rows: ResponseRows
}

export const stampOf = ({ questions }: DatasetSettings): string =>
  JSON.stringify(questions.map(({ id, no, name, settings }) => [id, no, name, settings.type]))

export const createTally = (settings: DatasetSettings, changeNo: number): Tally => ({
  stamp: stampOf(settings),
  changeNo,
  reached: 0,
  done: 0,
  users: new Codes(),
  agents: new Codes(),
  questions: settings.questions.map(({ id, no, name }) => ({ id, no, name, answers: new Codes(), suggestions: new Codes() })),
  rows: new ResponseRows(settings.questions.length),
})

interface SuggestionRef {
  code: number
  value: Json
}

/** Reads the responses of some records, in the order of record numbers. */
export async function readRows(
  db: Queryable,
  tally: Tally,
  { datasetNo, settings }: { datasetNo: number; settings: DatasetSettings },
  wanted: RecordSelection,
): Promise<NewRow[]> {
  const read = await readResponses(db, datasetNo, wanted)
  if (read.recordNos.length === 0) return []
  const suggested = await readSuggested(db, tally, { datasetNo, settings }, wanted)
  const asked = settings.documents.questions
  return read.recordNos.map((recordNo, at) => {
    const values = read.values[at] ?? {}
    const answers = tally.questions.map(({ answers }, q) => {
      const question = asked[q]
      return question ? toAnswerCode(answers, answerValues(values as never, question)) : 0
    })
    return {
      recordNo,
      ...toOwn(tally, read, at),
      answers,
      suggested: tally.questions.map((question, q) => {
        const suggestion = answers[q] === 0 ? undefined : suggested[q]?.get(recordNo)
        const value = ownProperty(values, question.name)?.value
        if (suggestion === undefined || value === undefined) return 0
        return suggestion.code * 2 + (isSameAnswer(value, suggestion.value) ? 1 : 0)
      }),
    }
  })
}

function toOwn(tally: Tally, read: ResponseBlock, at: number): Omit<NewRow, 'recordNo' | 'answers' | 'suggested'> {
  const userId = read.userIds[at] as Id
  return {
    isCompleted: read.recordStatuses[at] === 'completed',
    userCode: tally.users.of(userId, () => userId),
    status: STATUS_CODES.indexOf(read.statuses[at] as (typeof STATUS_CODES)[number]),
    timeMs: Date.parse(`${read.times[at]}Z`),
  }
}

/** One map per question, by record number. */
async function readSuggested(
  db: Queryable,
  tally: Tally,
  { datasetNo, settings }: { datasetNo: number; settings: DatasetSettings },
  wanted: RecordSelection,
): Promise<Map<number, SuggestionRef>[]> {
  const read = await readSuggestions(db, datasetNo, wanted)
  const suggested = tally.questions.map(() => new Map<number, SuggestionRef>())
  const places = new Map(tally.questions.map(({ no }, q) => [no, q]))
  for (const [at, recordNo] of read.recordNos.entries()) {
    const q = places.get(read.questionNos[at] as number)
    const [question, asked] = q === undefined ? [] : [tally.questions[q], settings.documents.questions[q]]
    if (q === undefined || question === undefined || asked === undefined) continue
    const value = read.values[at] as Json
    const agentName = read.agents[at] ?? null
    const score = read.scores[at] ?? null
    const agent = agentName === null ? 0 : tally.agents.of(agentName, () => agentName)
    const answer = toAnswerCode(question.answers, asked.type.toSearch(value))
    const bucket = score === null ? null : scoreBucketOf(score)
    const code = question.suggestions.of(`${agent} ${bucket} ${answer}`, () => ({ agent, bucket, answer }))
    suggested[q]?.set(recordNo, { code, value })
  }
  return suggested
}

/** 0 for an answer without values, which counts as no answer. */
function toAnswerCode(codes: Codes<string[]>, values: readonly (string | number)[]): number {
  if (values.length === 0) return 0
  const texts = [...new Set(values.map(String))].sort()
  const key = texts.length === 1 ? `=${texts[0]}` : JSON.stringify(texts)
  return codes.of(key, () => texts)
}
