import type { Question } from '@postil/domain/questions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { checkDraft, removeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

/** Removes a question from a draft. With `datasetId`, only if the question belongs to that dataset. */
export function deleteQuestion(ctx: RequestContext, place: { id: Id; datasetId?: Id }): Promise<Question> {
  return removeItem(ctx, place, {
    what: 'questions',
    noun: 'Question',
    load: store.loadQuestion,
    check: dataset => checkDraft(dataset, 'Removing a question'),
    remove: (tx, question) => store.deleteQuestion(tx, question.id),
  })
}
