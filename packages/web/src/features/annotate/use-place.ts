/** The criteria and the position in the queue, read from the URL, which follows the user. */
import { computed, onScopeDispose, watch } from 'vue'
import { isNavigationFailure, NavigationFailureType, useRoute, useRouter } from 'vue-router'
import type { DatasetOptions } from '../../dataset-options.ts'
import { useCurrentSearch } from '../../datasets/current-search.ts'
import { placeOf, storeLastPlace } from '../../datasets/last-place.ts'
import { useSession } from '../../session/use-session.ts'
import type { Criteria } from './find/query/criteria.ts'
import { toExportSearch } from './find/query/search-body.ts'
import { type Place, readCriteria, readPlace, writeCriteria, writePlace } from './find/query/url-state.ts'

/** `options`: defaults of the dataset for URLs that do not specify the view. */
export function usePlace(options: () => Pick<DatasetOptions, 'view' | 'pageSize'>) {
  const { items } = useSession()
  const route = useRoute()
  const router = useRouter()
  const criteria = computed(() => readCriteria(route.query))
  const { view, pageSize } = options()
  // Not computed: settings that are saved meanwhile must not lead to another record, and the router does not know the present one.
  const bulkDefault = view === 'bulk' ? pageSize : null
  const place = computed(() => readPlace(route.query, bulkDefault))
  const isBulk = computed(() => place.value.bulkSize !== null)
  const queryFor = (next: Place, of = criteria.value) => ({ ...writeCriteria(of), ...writePlace(next) })
  const at = (position: number, bulkSize: number | null = null): Place => ({ position, bulkSize, recordId: null })

  const searched = useCurrentSearch()
  watch(
    criteria,
    next => {
      searched.value = toExportSearch(next)
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    searched.value = null
  })
  watch(
    () => route.fullPath,
    () => storeLastPlace(items, placeOf(route)),
    { immediate: true },
  )

  return {
    criteria,
    /** Changes when the criteria change. */
    criteriaKey: computed(() => JSON.stringify(writeCriteria(criteria.value))),
    queueName: computed(() => criteria.value.queue),
    place,
    isBulk,
    setCriteria(next: Criteria, isBulkNext = isBulk.value): void {
      void router.push({ query: queryFor(at(0, isBulkNext ? (place.value.bulkSize ?? options().pageSize) : null), next) })
    },
    /** Returns false if the URL already has this position, although the user has moved on since. */
    async goTo(position: number): Promise<boolean> {
      const failure = await router.replace({ query: queryFor(at(position)) })
      return !isNavigationFailure(failure, NavigationFailureType.duplicated)
    },
    showBulk(next: Place, isStep: boolean): void {
      const query = queryFor(next)
      void (isStep ? router.push({ query }) : router.replace({ query }))
    },
    /**
     * Replaces the URL without a new history entry, so that *back* leaves the queue instead of undoing every step. Bypasses the
     * router, which would render the whole page again.
     */
    follow(position: number): void {
      const target = router.resolve({ query: queryFor(at(position)) })
      history.replaceState({ ...history.state, current: target.fullPath }, '', target.href)
      storeLastPlace(items, placeOf(target))
    },
  }
}

export type WorkPlace = ReturnType<typeof usePlace>
