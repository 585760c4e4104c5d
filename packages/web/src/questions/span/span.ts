import type { Field } from '@postil/domain/fields'
import type { Question } from '@postil/domain/questions'
import { defineAsyncComponent } from 'vue'
import { t } from '../../i18n/i18n.ts'
import type { QuestionWidget } from '../question-widget.ts'
import { QUESTION_BADGES } from '../type-badges.ts'
import AnswerForm from './answer-form.vue'
import { areEqualAnswers, readSpans } from './spans.ts'

export const spanWidget: QuestionWidget = {
  form: AnswerForm,
  settings: defineAsyncComponent(() => import('./settings-form.vue')),
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

/** The span questions about a field: its text is then drawn by span-text.vue. */
export const spanQuestionsOn = (field: Pick<Field, 'name'>, questions: readonly Question[]): Question[] =>
  questions.filter(({ settings }) => settings.type === 'span' && settings.field === field.name)
