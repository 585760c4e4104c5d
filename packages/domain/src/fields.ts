import { invalid } from './errors.ts'
import { FieldSettings, FieldSettingsCreate, FieldSettingsUpdate } from './fields/registry.ts'
import { Bool, Id, Name, Nullable, Optional, Shape, type Static, Timestamps, Title } from './schema.ts'

export const Field = Shape({
  id: Id,
  name: Name,
  title: Title,
  required: Bool(),
  settings: FieldSettings,
  dataset_id: Id,
  ...Timestamps,
})
export type Field = Static<typeof Field>

export const FieldCreate = Shape({
  name: Name,
  title: Title,
  required: Optional(Nullable(Bool())),
  settings: FieldSettingsCreate,
})
export type FieldCreate = Static<typeof FieldCreate>

export const FieldUpdate = Shape(
  { title: Optional(Title), settings: Optional(FieldSettingsUpdate) },
  { 'x-not-null': ['title', 'settings'] },
)
export type FieldUpdate = Static<typeof FieldUpdate>

/**
 * Throws if a PATCH changes the field type. Settings of a PATCH are complete and replace the stored ones, but records hold values
 * of the stored type.
 */
export function checkFieldTypeUnchanged(stored: { type: string }, given: { type: string }): void {
  if (given.type === stored.type) return
  throw invalid(`Field type cannot be changed: it is \`${stored.type}\`, not \`${given.type}\``, ['settings', 'type'])
}
