/** Search and filters of the current page. Pages set it and exports offer it; null if the page shows all records. */
import type { SearchBody } from '@postil/domain/search/query'
import { type ShallowRef, shallowRef } from 'vue'
import { useSession } from '../session/use-session.ts'

const open = (): ShallowRef<SearchBody | null> => shallowRef(null)

export const useCurrentSearch = () => useSession().own(open)
