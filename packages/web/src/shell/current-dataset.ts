/** The dataset that the page in view is about; pages set it, the top bar and the palette show it. */
import { shallowRef } from 'vue'

export interface CurrentDataset {
  id: string
  name: string
  workspace: { id: string; name: string }
}

export const currentDataset = shallowRef<CurrentDataset | null>(null)
