/** Settings form of a field type; `settings-registry.ts` has one for each type with settings. */
import type { Field } from '@postil/domain/fields'

export interface FieldSettingsProps {
  field: Field
  /** Current settings, including unsaved edits. */
  settings: Field['settings']
}

export interface FieldSettingsEmits {
  update: [settings: Field['settings']]
}
