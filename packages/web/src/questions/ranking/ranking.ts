import { ListOrdered } from '@lucide/vue'
import { defineAsyncComponent } from 'vue'
import type { QuestionWidget } from '../question-widget.ts'
import AnswerForm from './answer-form.vue'
import { areEqual, isComplete, isPartial, optionsOf, suggestedRanks, summarize, toValue } from './ranks.ts'

export const rankingWidget: QuestionWidget = {
  form: AnswerForm,
  settings: defineAsyncComponent(() => import('./settings-form.vue')),
  icon: ListOrdered,
  typeName: 'questions.type_ranking',
  isAnswered: isComplete,
  isPartial,
  fromSuggestion: (suggestion, question) => toValue(suggestedRanks(suggestion, question), optionsOf(question)),
  areEqual,
  summarize,
  advances: false,
  isPerRecord: false,
}
