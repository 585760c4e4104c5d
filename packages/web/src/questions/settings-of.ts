import type { Question } from '@postil/domain/questions'
import type { QuestionSettings, QuestionTypeName } from '@postil/domain/questions/registry'

type SettingsOf<T extends QuestionTypeName> = Extract<QuestionSettings, { type: T }>

const isOfType = <T extends QuestionTypeName>(settings: QuestionSettings, type: T): settings is SettingsOf<T> =>
  settings.type === type

/** Returns the settings narrowed to the given type; throws if the question has another type. */
export function settingsOf<T extends QuestionTypeName>({ name, settings }: Question, type: T): SettingsOf<T> {
  if (isOfType(settings, type)) return settings
  throw new TypeError(`Question ${name} is a ${settings.type} question, not ${type}`)
}
