/** The dataset of the current page. Pages set it; the top bar and the command palette show it. */
import { type ShallowRef, shallowRef } from 'vue'
import { useSession } from '../session/use-session.ts'

export interface CurrentDataset {
  id: string
  name: string
  workspace: { id: string; name: string }
}

const open = (): ShallowRef<CurrentDataset | null> => shallowRef(null)

export const useCurrentDataset = () => useSession().own(open)
