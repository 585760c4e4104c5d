import type { Question, QuestionUpdate } from '@postil/domain/questions'
import { type QuestionSettings, questionTypeOf } from '@postil/domain/questions/registry'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { changeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

/** Changes title, description or settings of a question, in drafts and published datasets. */
export async function updateQuestion(
  ctx: RequestContext,
  id: Id,
  { settings: patch, ...texts }: QuestionUpdate,
): Promise<Question> {
  // Validates the request body, so it runs before any lookup.
  if (patch) questionTypeOf(patch).checkSettings(patch, ctx.config)

  return changeItem(ctx, id, {
    what: 'questions',
    load: store.loadQuestion,
    patch: question => ({ ...question, ...texts, settings: patchSettings(question.settings, patch) }),
    save: store.updateQuestion,
  })
}

function patchSettings(settings: QuestionSettings, patch: QuestionUpdate['settings']): QuestionSettings {
  // The cast is safe: a question type returns settings of its own type.
  return patch ? (questionTypeOf(settings).patchSettings(settings, patch) as QuestionSettings) : settings
}
