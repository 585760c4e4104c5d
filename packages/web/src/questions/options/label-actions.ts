/** Actions on labels of a stored question, other than renaming. Provided by the settings page. */
import type { InjectionKey } from 'vue'

export interface LabelActions {
  add(): void
  /** Opens the dialog of one label. */
  open(value: string): void
}

export const LABEL_ACTIONS: InjectionKey<LabelActions> = Symbol('label actions')
