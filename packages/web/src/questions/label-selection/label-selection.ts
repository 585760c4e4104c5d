import { CircleDot } from '@lucide/vue'
import { defineAsyncComponent } from 'vue'
import type { QuestionWidget } from '../question-widget.ts'
import AnswerForm from './answer-form.vue'
import { fromSuggestion, isLabel, summarize } from './value.ts'

export const labelSelectionWidget: QuestionWidget = {
  form: AnswerForm,
  settings: defineAsyncComponent(() => import('./settings-form.vue')),
  icon: CircleDot,
  typeName: 'questions.type_label_selection',
  isAnswered: isLabel,
  isPartial: () => false,
  fromSuggestion,
  areEqual: Object.is,
  summarize,
  advances: true,
  isPerRecord: false,
}
