import { lazy } from '../../components/lazy.ts'
import type { QuestionWidget } from '../question-widget.ts'
import { QUESTION_BADGES } from '../type-badges.ts'
import AnswerForm from './answer-form.vue'
import { fromSuggestion, summarize } from './value.ts'

export const ratingWidget: QuestionWidget = {
  form: AnswerForm,
  settings: lazy(() => import('./settings-form.vue')),
  ...QUESTION_BADGES.rating,
  fromSuggestion,
  areEqual: Object.is,
  summarize,
  advances: true,
  isPerRecord: false,
}
