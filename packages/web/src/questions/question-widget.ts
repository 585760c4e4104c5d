/** Interface of a question type for the pages; `registry.ts` has one for each type. */
import type { Question } from '@postil/domain/questions'
import type { DatasetRecord } from '@postil/domain/records'
import type { Suggestion } from '@postil/domain/suggestions'
import type { Component } from 'vue'
import type { TextLimits } from '../dataset-options.ts'
import type { MessageKey } from '../i18n/i18n.ts'
import type { LabelColours } from '../label-colours.ts'

export interface QuestionWidget {
  /** Component with AnswerFormProps and AnswerFormEmits that exposes `focus()`. */
  form: Component
  /** Component with SettingsFormProps that emits `update`. */
  settings: Component
  icon: Component
  typeName: MessageKey
  /** Returns the value for a suggestion, or null if the suggestion is not usable. */
  fromSuggestion(suggestion: Suggestion, question: Question): unknown
  areEqual(a: unknown, b: unknown): boolean
  /** Sample suggestion for previews, if it helps to show the effect of the settings. */
  sample?(question: Question): Pick<Suggestion, 'value' | 'score'>
  /** One-line summary for lists and confirmations. */
  summarize(value: unknown, question: Question): string
  /** True if a single key answers the whole question, so that the focus can move to the next one. */
  advances: boolean
  /** True if answers refer to the record's own text and cannot be copied to other records in the bulk view. */
  isPerRecord: boolean
}

export interface AnswerFormProps {
  question: Question
  /** Null if there is no answer. */
  value: unknown
  /** True if the value comes from the suggestion and the user has not confirmed it; shown in pencil style. */
  isPencil: boolean
  /** Null if there is none or the dataset hides it. */
  suggestion: Suggestion | null
  /** Null in the bulk form and in previews. */
  record: DatasetRecord | null
  /** True for the current question, whose keys are active. */
  isActive: boolean
  isReadonly: boolean
  /** Option value -> letter assigned in the dataset options. */
  letters: Readonly<Record<string, string>>
  /** Colours of span labels. */
  colours?: LabelColours | undefined
  /** Length limits of text answers. */
  limits?: TextLimits | undefined
}

export interface AnswerFormEmits {
  /** The user gave or changed the answer, or cleared it (null). */
  answer: [value: unknown]
  /** The user moved to this question. */
  activate: []
  /** Answered with a single key or click, so that the form can move to the next question. */
  advance: []
}

export interface SettingsFormProps {
  question: Question
  /** Value -> letter. If undefined, the form does not show letters. */
  letters?: Readonly<Record<string, string>> | undefined
  /** If undefined, the form of a span question does not show colours. */
  colours?: LabelColours | undefined
  /** If undefined, the form of a text question does not show limits. */
  limits?: TextLimits | undefined
  /** True for a new question; options of a stored question cannot be added here. */
  canAddOptions?: boolean
}

export interface SettingsFormEmits {
  /** Edited settings that are not saved yet. */
  update: [settings: Question['settings']]
  letters: [letters: Record<string, string>]
  colours: [colours: LabelColours]
  limits: [limits: TextLimits]
}
