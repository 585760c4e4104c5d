import { type Static, Tagged } from '../schema.ts'
import { float } from './float.ts'
import { integer } from './integer.ts'
import type { MetadataType } from './metadata-type.ts'
import { terms } from './terms.ts'

/** Every metadata property type. Add new ones here. */
export const METADATA_TYPES = [terms, integer, float] as const

type Listed = (typeof METADATA_TYPES)[number]
export type MetadataTypeName = Listed['name']

const variants = <Key extends 'settings' | 'settingsCreate'>(key: Key) =>
  Object.fromEntries(METADATA_TYPES.map(type => [type.name, type[key]])) as { [T in Listed as T['name']]: T[Key] }

export const MetadataSettingsCreate = Tagged('type', variants('settingsCreate'))
export type MetadataSettingsCreate = Static<typeof MetadataSettingsCreate>

export const MetadataSettings = Tagged('type', variants('settings'))
export type MetadataSettings = Static<typeof MetadataSettings>

const byName = new Map<string, MetadataType>(METADATA_TYPES.map(type => [type.name, type]))

/** Returns the type of validated settings, which is always in the list. */
export function metadataTypeOf(settings: { type: string }): MetadataType {
  const type = byName.get(settings.type)
  if (type === undefined) throw new Error(`No metadata property type is called ${settings.type}`)
  return type
}
