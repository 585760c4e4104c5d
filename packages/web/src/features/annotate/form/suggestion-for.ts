import type { Question } from '@postil/domain/questions'
import type { DatasetRecord } from '@postil/domain/records'
import type { Suggestion } from '@postil/domain/suggestions'

export const suggestionFor = (record: Pick<DatasetRecord, 'suggestions'>, question: Question): Suggestion | null =>
  record.suggestions?.find(({ question_id }) => question_id === question.id) ?? null
