/** Filters and sort options for the answers and suggestions of each question type. */
import type { Question } from '@postil/domain/questions'
import type { QuestionTypeName } from '@postil/domain/questions/registry'
import type { MessageKey } from '../i18n/i18n.ts'
import { settingsOf } from './settings-of.ts'

export interface FilterOption {
  value: string
  text: string
}

export interface AnswerFilter {
  /** Selected options, a range of numbers, or only whether there is an answer. */
  kind: 'options' | 'range' | 'presence'
  /** True if an answer can have several values, so that *all of these* is meaningful. */
  isMulti: boolean
  canSort: boolean
  /** Explanation of the values if the question's title does not make them clear. */
  hint: MessageKey | null
  /** Options in the order of the question; numbers as strings. */
  options(question: Question): FilterOption[]
}

const toOptions = (options: readonly FilterOption[]) => options.map(({ value, text }) => ({ value, text: text || value }))

/** One entry per question type. */
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
