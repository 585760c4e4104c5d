import type { Question, QuestionUpdate } from '@postil/domain/questions'
import { type QuestionSettings, questionTypeOf } from '@postil/domain/questions/registry'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { changeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

/** Changes title, description or settings of a question, published or not. */
export async function updateQuestion(
  ctx: RequestContext,
  id: Id,
  { settings: patch, ...texts }: QuestionUpdate,
): Promise<Question> {
  // Part of the body's shape, so it comes before anything is looked up.
  if (patch) questionTypeOf(patch).checkSettings(patch, ctx.config)

  return changeItem(ctx, id, {
    what: 'questions',
    load: store.loadQuestion,
    patch: question => ({ ...question, ...texts, settings: patched(question.settings, patch) }),
    save: store.updateQuestion,
  })
}

function patched(settings: QuestionSettings, patch: QuestionUpdate['settings']): QuestionSettings {
  // A type answers settings of its own kind.
  return patch ? (questionTypeOf(settings).patchSettings(settings, patch) as QuestionSettings) : settings
}
