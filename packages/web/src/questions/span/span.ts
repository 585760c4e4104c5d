import type { Field } from '@postil/domain/fields'
import type { Question } from '@postil/domain/questions'
import { lazy } from '../../components/lazy.ts'
import { t } from '../../i18n/i18n.ts'
import type { QuestionWidget } from '../question-widget.ts'
import { QUESTION_BADGES } from '../type-badges.ts'
import { areEqualAnswers, readSpans } from './spans.ts'

export const spanWidget: QuestionWidget = {
  form: lazy(() => import('./answer-form.vue')),
  settings: lazy(() => import('./settings-form.vue')),
  ...QUESTION_BADGES.span,
  // No span is an answer too: there may be nothing to mark.
  isAnswered: () => true,
  isPartial: () => false,
  fromSuggestion: ({ value }) => readSpans(value),
  areEqual: areEqualAnswers,
  summarize: value => t('span.count_spans', { count: readSpans(value)?.length ?? 0 }),
  advances: false,
  isPerRecord: true,
  blank: [],
}

/** A text in which spans are marked. */
export const SpanText = lazy(() => import('./span-text.vue'))

/**
 * The span questions about a field: its text is then drawn by span-text.vue. The server takes them for fields of any type, but
 * only a text has places to mark; a chat is one where it is a plain text.
 */
export const spanQuestionsOn = (field: Pick<Field, 'name' | 'settings'>, questions: readonly Question[], value: unknown) =>
  typeof value === 'string' && (field.settings.type === 'text' || field.settings.type === 'chat')
    ? questions.filter(({ settings }) => settings.type === 'span' && settings.field === field.name)
    : []
