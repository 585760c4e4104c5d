import { type Static, Tagged } from '../schema.ts'
import { labelSelection } from './label-selection/label-selection.ts'
import { multiLabelSelection } from './multi-label-selection/multi-label-selection.ts'
import type { QuestionType } from './question-type.ts'
import { ranking } from './ranking/ranking.ts'
import { rating } from './rating/rating.ts'
import { span } from './span/span.ts'
import { text } from './text/text.ts'

/** Every question type. Add new ones here. */
export const QUESTION_TYPES = [text, rating, labelSelection, multiLabelSelection, ranking, span] as const

type Listed = (typeof QUESTION_TYPES)[number]
export type QuestionTypeName = Listed['name']

const variants = <Key extends 'settings' | 'settingsCreate' | 'settingsUpdate'>(key: Key) =>
  Object.fromEntries(QUESTION_TYPES.map(type => [type.name, type[key]])) as { [T in Listed as T['name']]: T[Key] }

export const QuestionSettingsCreate = Tagged('type', variants('settingsCreate'))
export type QuestionSettingsCreate = Static<typeof QuestionSettingsCreate>

export const QuestionSettingsUpdate = Tagged('type', variants('settingsUpdate'))
export type QuestionSettingsUpdate = Static<typeof QuestionSettingsUpdate>

export const QuestionSettings = Tagged('type', variants('settings'))
export type QuestionSettings = Static<typeof QuestionSettings>

const byName = new Map<string, QuestionType>(QUESTION_TYPES.map(type => [type.name, type]))

/** Returns the type of validated settings, which is always in the list. */
export function questionTypeOf(settings: { type: string }): QuestionType {
  const type = byName.get(settings.type)
  if (type === undefined) throw new Error(`No question type is called ${settings.type}`)
  return type
}
