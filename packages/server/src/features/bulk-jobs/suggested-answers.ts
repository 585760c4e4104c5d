import type { SuggestedAnswer } from '@postil/domain/bulk-jobs'
import { listSuggestionsOf } from '../suggestions/store.ts'
import type { Piece } from './run.ts'

/** Returns the suggested answers for the records of a batch, by record number and then by question name. */
export async function listSuggestedAnswers({ tx, settings, records }: Piece): Promise<Map<number, Map<string, SuggestedAnswer>>> {
  const names = new Map(settings.questions.map(question => [question.no, question.name]))
  const rows = await listSuggestionsOf(
    tx,
    records.map(record => record.no),
  )
  const answers = new Map<number, Map<string, SuggestedAnswer>>()
  for (const row of rows) {
    const name = names.get(row.question_no)
    if (name === undefined) continue
    const ofRecord = answers.get(row.record_no) ?? new Map<string, SuggestedAnswer>()
    answers.set(row.record_no, ofRecord.set(name, { value: JSON.parse(row.value), score: row.score_min }))
  }
  return answers
}
