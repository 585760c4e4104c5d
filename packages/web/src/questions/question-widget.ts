/** What the pages need to know of a question type; `registry.ts` has one for each. */
import type { Question } from '@postil/domain/questions'
import type { DatasetRecord } from '@postil/domain/records'
import type { Suggestion } from '@postil/domain/suggestions'
import type { Component } from 'vue'
import type { TextLimits } from '../dataset-options.ts'
import type { MessageKey } from '../i18n/i18n.ts'
import type { LabelColours } from '../label-colours.ts'

export interface QuestionWidget {
  /** Takes AnswerFormProps, emits AnswerFormEmits, exposes `focus()`. */
  form: Component
  /** Takes SettingsFormProps, emits `update`. */
  settings: Component
  icon: Component
  typeName: MessageKey
  /** Counts as an answer. */
  isAnswered(value: unknown, question: Question): boolean
  /** Begun but not complete: stands in the way of a submit even where the question is optional. */
  isPartial(value: unknown, question: Question): boolean
  /** The value a suggestion fills in, or null when it cannot. */
  fromSuggestion(suggestion: Suggestion, question: Question): unknown
  areEqual(a: unknown, b: unknown): boolean
  /** A suggestion for previews, where seeing one tells more of the settings. */
  sample?(question: Question): Pick<Suggestion, 'value' | 'score'>
  /** One line for lists and confirmations. */
  summarize(value: unknown, question: Question): string
  /** One key answers the whole question, so the focus may go on to the next. */
  advances: boolean
  /** Answers belong to one record's own text, so they cannot be copied to others in the bulk view. */
  isPerRecord: boolean
  /** What a submit sends for a required question that is left open: the answer *nothing here*, where there is such a thing. */
  blank?: unknown
}

export interface AnswerFormProps {
  question: Question
  /** Null: no answer. */
  value: unknown
  /** The value was filled in from the suggestion and no person has touched it: drawn as pencil. */
  isPencil: boolean
  /** Null where there is none or the dataset hides it. */
  suggestion: Suggestion | null
  /** Null in the bulk form and in previews. */
  record: DatasetRecord | null
  /** The question in hand: its keys work. */
  isActive: boolean
  isReadonly: boolean
  /** Letters that leads gave to options: value -> letter. */
  letters: Readonly<Record<string, string>>
  /** Of span labels. */
  colours?: LabelColours | undefined
  /** Of texts. */
  limits?: TextLimits | undefined
}

export interface AnswerFormEmits {
  /** A person gave, changed or (null) cleared the answer. */
  answer: [value: unknown]
  /** A person turned to this question. */
  activate: []
  /** Answered with one key or click: the form may go on to the next question. */
  advance: []
}

export interface SettingsFormProps {
  question: Question
  /** Value -> letter. Without it the form shows no letters. */
  letters?: Readonly<Record<string, string>> | undefined
  /** Without them the form of a span question shows no colours. */
  colours?: LabelColours | undefined
  /** Without them the form of a text question shows no limits. */
  limits?: TextLimits | undefined
  /** For a question that is not stored yet; a stored one keeps the options it has. */
  canAddOptions?: boolean
}

export interface SettingsFormEmits {
  /** The settings as edited; not saved yet. */
  update: [settings: Question['settings']]
  letters: [letters: Record<string, string>]
  colours: [colours: LabelColours]
  limits: [limits: TextLimits]
}
