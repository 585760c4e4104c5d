/** The form in which a lead sets up a field of one type; `settings-registry.ts` has one for each that has something to set. */
import type { Field } from '@postil/domain/fields'

export interface FieldSettingsProps {
  field: Field
  /** As edited so far. */
  settings: Field['settings']
}

export interface FieldSettingsEmits {
  update: [settings: Field['settings']]
}
