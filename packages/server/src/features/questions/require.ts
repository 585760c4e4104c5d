import { checkStillRequired } from '@postil/domain/dataset-changes'
import type { Question } from '@postil/domain/questions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { changeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

/** Makes a question required or optional. PATCH ignores `required`, because existing clients send back what they have read. */
export function setQuestionRequired(ctx: RequestContext, id: Id, required: boolean): Promise<Question> {
  return changeItem(ctx, id, {
    what: 'questions',
    load: store.loadQuestion,
    check: async (tx, question, dataset) =>
      checkStillRequired(dataset, await store.listQuestions(tx, dataset.id), { id: question.id, required }),
    patch: question => ({ ...question, required }),
    save: store.updateQuestion,
  })
}
