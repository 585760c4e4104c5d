import { SquareCheck } from '@lucide/vue'
import { defineAsyncComponent } from 'vue'
import type { QuestionWidget } from '../question-widget.ts'
import AnswerForm from './answer-form.vue'
import { areEqual, fromSuggestion, labelsOf, summarize } from './value.ts'

export const multiLabelSelectionWidget: QuestionWidget = {
  form: AnswerForm,
  settings: defineAsyncComponent(() => import('./settings-form.vue')),
  icon: SquareCheck,
  typeName: 'questions.type_multi_label_selection',
  isAnswered: (value, question) => labelsOf(value, question).length > 0,
  isPartial: () => false,
  fromSuggestion,
  areEqual,
  summarize,
  advances: false,
  isPerRecord: false,
}
