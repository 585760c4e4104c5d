import { lazy } from '../../components/lazy.ts'
import type { QuestionWidget } from '../question-widget.ts'
import { QUESTION_BADGES } from '../type-badges.ts'
import { textOf } from './value.ts'

const SUMMARY_MAX = 200

export const textWidget: QuestionWidget = {
  form: lazy(() => import('./answer-form.vue')),
  settings: lazy(() => import('./settings-form.vue')),
  ...QUESTION_BADGES.text,
  fromSuggestion: ({ value }) => (typeof value === 'string' && value !== '' ? value : null),
  areEqual: (a, b) => textOf(a) === textOf(b),
  summarize: value => textOf(value).slice(0, SUMMARY_MAX).replaceAll(/\s+/g, ' ').trim(),
  advances: false,
  isPerRecord: false,
}
