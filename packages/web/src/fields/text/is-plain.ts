import type { Field } from '@postil/domain/fields'
import type { Question } from '@postil/domain/questions'

/** True if a text field is shown as plain text: no markdown, and no span question on it. */
export const isPlain = ({ name, settings }: Field, questions: readonly Question[]) =>
  settings.type === 'text' &&
  !settings.use_markdown &&
  !questions.some(question => question.settings.type === 'span' && question.settings.field === name)
