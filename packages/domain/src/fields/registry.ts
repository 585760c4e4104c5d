import { AnyJson, AnyOf, Dictionary, type Json, List, Nullable, type Static, Tagged, Text, Type } from '../schema.ts'
import { ChatMessage, chat, MESSAGES_MAX, messagesProblem } from './chat/chat.ts'
import { custom } from './custom/custom.ts'
import type { FieldType } from './field-type.ts'
import { image } from './image/image.ts'
import { text } from './text/text.ts'

/** Every field type. Add new ones here. */
export const FIELD_TYPES = [text, image, chat, custom] as const

type Listed = (typeof FIELD_TYPES)[number]
export type FieldTypeName = Listed['name']

const variants = <Key extends 'settings' | 'settingsCreate' | 'settingsUpdate'>(key: Key) =>
  Object.fromEntries(FIELD_TYPES.map(type => [type.name, type[key]])) as { [T in Listed as T['name']]: T[Key] }

export const FieldSettingsCreate = Tagged('type', variants('settingsCreate'))
export type FieldSettingsCreate = Static<typeof FieldSettingsCreate>

export const FieldSettingsUpdate = Tagged('type', variants('settingsUpdate'))
export type FieldSettingsUpdate = Static<typeof FieldSettingsUpdate>

export const FieldSettings = Tagged('type', variants('settings'))
export type FieldSettings = Static<typeof FieldSettings>

const byName = new Map<string, FieldType>(FIELD_TYPES.map(type => [type.name, type]))

/** Returns the type of validated settings, which is always in the list. */
export function fieldTypeOf(settings: { type: string }): FieldType {
  const type = byName.get(settings.type)
  if (type === undefined) throw new Error(`No field type is called ${settings.type}`)
  return type
}

/** Read with `own`, because a name may be `constructor`. */
type Values = { [name: string]: Json }

/** A value in the `fields` of a bulk body. Lists may contain anything here, because `FieldValues` checks the messages. */
const FieldValue = Nullable(AnyOf({ string: Text(), chat: List(AnyJson), object: Dictionary(AnyJson) }))

/** Values by field name in a bulk body. For existing clients, there is one problem for all messages. */
export const FieldValues = Type.Unsafe<Values>(Dictionary(FieldValue, { 'x-check': chatValuesProblem }))

/** Values by field name in a PATCH body. Problems with messages are reported at the message. */
export const FieldValuesUpdate = Type.Unsafe<Values>(
  Dictionary(
    Nullable(AnyOf({ string: Text(), chat: List(ChatMessage, { maxItems: MESSAGES_MAX }), object: Dictionary(AnyJson) })),
  ),
)

function chatValuesProblem(fields: { [name: string]: Json }): string | null {
  for (const [name, value] of Object.entries(fields)) {
    const problem = Array.isArray(value) ? messagesProblem(value) : null
    if (problem !== null) return `Field \`${name}\` ${problem}`
  }
  return null
}
