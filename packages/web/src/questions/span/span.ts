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
  fromSuggestion: ({ value }) => readSpans(value),
  areEqual: areEqualAnswers,
  summarize: value => t('span.count_spans', { count: readSpans(value)?.length ?? 0 }),
  advances: false,
  isPerRecord: true,
}

/** Text in which spans are marked. */
export const SpanText = lazy(() => import('./span-text.vue'))

/**
 * Returns the span questions on a field; if there are any, span-text.vue renders its text. The server accepts them for fields of
 * any type, but only text has positions to mark; a chat field qualifies if its value is plain text.
 */
export const spanQuestionsOn = (field: Pick<Field, 'name' | 'settings'>, questions: readonly Question[], value: unknown) =>
  typeof value === 'string' && (field.settings.type === 'text' || field.settings.type === 'chat')
    ? questions.filter(({ settings }) => settings.type === 'span' && settings.field === field.name)
    : []
