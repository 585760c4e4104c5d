import { lazy } from '../../components/lazy.ts'
import type { QuestionWidget } from '../question-widget.ts'
import { QUESTION_BADGES } from '../type-badges.ts'
import AnswerForm from './answer-form.vue'
import { fromSuggestion, sample, summarize } from './value.ts'

export const labelSelectionWidget: QuestionWidget = {
  form: AnswerForm,
  settings: lazy(() => import('./settings-form.vue')),
  ...QUESTION_BADGES.label_selection,
  fromSuggestion,
  areEqual: Object.is,
  sample,
  summarize,
  advances: true,
  isPerRecord: false,
}
