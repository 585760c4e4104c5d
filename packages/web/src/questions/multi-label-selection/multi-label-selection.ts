import { lazy } from '../../components/lazy.ts'
import type { QuestionWidget } from '../question-widget.ts'
import { QUESTION_BADGES } from '../type-badges.ts'
import AnswerForm from './answer-form.vue'
import { areEqual, fromSuggestion, sample, summarize } from './value.ts'

export const multiLabelSelectionWidget: QuestionWidget = {
  form: AnswerForm,
  settings: lazy(() => import('./settings-form.vue')),
  ...QUESTION_BADGES.multi_label_selection,
  fromSuggestion,
  areEqual,
  sample,
  summarize,
  advances: false,
  isPerRecord: false,
}
