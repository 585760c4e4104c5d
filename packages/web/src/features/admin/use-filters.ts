/** Filters stored in the URL, so that a link shows the same list and the back button works. */
import { computed, type WritableComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'

export type Filters<Name extends string> = Record<Name, WritableComputedRef<string>>

/** Ignores values that `accepts` rejects, because the URL may have been typed by hand. */
export function useFilters<Name extends string>(accepts: Record<Name, (value: string) => boolean>): Filters<Name> {
  const route = useRoute()
  const router = useRouter()
  const filter = (name: Name) =>
    computed({
      get: () => {
        const value = route.query[name]
        return typeof value === 'string' && accepts[name](value) ? value : ''
      },
      set: value => {
        const { [name]: _, ...others } = route.query
        void router.replace({ query: value === '' ? others : { ...others, [name]: value } })
      },
    })
  const names = Object.keys(accepts) as Name[]
  return Object.fromEntries(names.map(name => [name, filter(name)])) as Filters<Name>
}

export const isOneOf = (values: readonly string[]) => (value: string) => values.includes(value)
