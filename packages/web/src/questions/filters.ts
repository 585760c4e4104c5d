/** How the answers to each question type, and the suggestions for them, can be filtered and sorted by. */
import type { Question } from '@postil/domain/questions'
import type { QuestionTypeName } from '@postil/domain/questions/registry'
import type { MessageKey } from '../i18n/i18n.ts'
import { settingsOf } from './settings-of.ts'

export interface FilterOption {
  value: string
  text: string
}

export interface AnswerFilter {
  /** Some of its options, a range of numbers, or only whether there is an answer. */
  kind: 'options' | 'range' | 'presence'
  /** An answer holds several values, so that *all of these* means something. */
  isMulti: boolean
  canSort: boolean
  /** What the values are, where the question's title does not say it. */
  hint: MessageKey | null
  /** In the question's own order; numbers are written as texts. */
  options(question: Question): FilterOption[]
}

const toOptions = (options: readonly FilterOption[]) => options.map(({ value, text }) => ({ value, text: text || value }))

/** One for each question type. */
const FILTERS: Readonly<Record<QuestionTypeName, AnswerFilter>> = {
  text: { kind: 'presence', isMulti: false, canSort: false, hint: null, options: () => [] },
  rating: {
    kind: 'range',
    isMulti: false,
    canSort: true,
    hint: null,
    options: question =>
      settingsOf(question, 'rating').options.map(({ value }) => ({ value: String(value), text: String(value) })),
  },
  label_selection: {
    kind: 'options',
    isMulti: false,
    canSort: false,
    hint: null,
    options: question => toOptions(settingsOf(question, 'label_selection').options),
  },
  multi_label_selection: {
    kind: 'options',
    isMulti: true,
    canSort: false,
    hint: null,
    options: question => toOptions(settingsOf(question, 'multi_label_selection').options),
  },
  ranking: {
    kind: 'options',
    isMulti: false,
    canSort: false,
    hint: 'find.in_first_place',
    options: question => toOptions(settingsOf(question, 'ranking').options),
  },
  span: {
    kind: 'options',
    isMulti: true,
    canSort: false,
    hint: 'find.marked_with',
    options: question => toOptions(settingsOf(question, 'span').options),
  },
}

export const answerFilterOf = ({ settings }: Pick<Question, 'settings'>): AnswerFilter => FILTERS[settings.type]
