import { lazy } from '../../components/lazy.ts'
import type { QuestionWidget } from '../question-widget.ts'
import { QUESTION_BADGES } from '../type-badges.ts'
import { areEqual, optionsOf, suggestedRanks, summarize, toValue } from './ranks.ts'

export const rankingWidget: QuestionWidget = {
  form: lazy(() => import('./answer-form.vue')),
  settings: lazy(() => import('./settings-form.vue')),
  ...QUESTION_BADGES.ranking,
  fromSuggestion: (suggestion, question) => toValue(suggestedRanks(suggestion, question), optionsOf(question)),
  areEqual,
  summarize,
  advances: false,
  isPerRecord: false,
}
