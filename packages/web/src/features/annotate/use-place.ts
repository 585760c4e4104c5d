/** Which records are asked for and where in them a person is: as the address says, which follows them. */
import { computed, watch } from 'vue'
import { isNavigationFailure, NavigationFailureType, useRoute, useRouter } from 'vue-router'
import { keepLastPlace, placeOf } from '../../datasets/last-place.ts'
import { useSession } from '../../session/use-session.ts'
import { isWideEnough } from './bulk/is-wide-enough.ts'
import type { Criteria } from './find/criteria.ts'
import { type Place, readCriteria, readPlace, writeCriteria, writePlace } from './find/url-state.ts'

const BULK_SIZE = 10

export function usePlace() {
  const { items } = useSession()
  const route = useRoute()
  const router = useRouter()
  const criteria = computed(() => readCriteria(route.query))
  const place = computed(() => readPlace(route.query))
  const isBulk = computed(() => place.value.bulkSize !== null && isWideEnough.value)
  const queryFor = (next: Place, of = criteria.value) => ({ ...writeCriteria(of), ...writePlace(next) })
  const at = (position: number, bulkSize: number | null = null): Place => ({ position, bulkSize, recordId: null })

  watch(
    () => route.fullPath,
    () => keepLastPlace(items, placeOf(route)),
    { immediate: true },
  )

  return {
    criteria,
    /** Changes when other records are asked for. */
    criteriaKey: computed(() => JSON.stringify(writeCriteria(criteria.value))),
    queueName: computed(() => criteria.value.queue),
    place,
    isBulk,
    setCriteria(next: Criteria, isBulkNext = isBulk.value): void {
      void router.push({ query: queryFor(at(0, isBulkNext ? (place.value.bulkSize ?? BULK_SIZE) : null), next) })
    },
    /** False when the address says so already, though the person has moved on since. */
    async goTo(position: number): Promise<boolean> {
      const failure = await router.replace({ query: queryFor(at(position)) })
      return !isNavigationFailure(failure, NavigationFailureType.duplicated)
    },
    showBulk(next: Place, isStep: boolean): void {
      const query = queryFor(next)
      void (isStep ? router.push({ query }) : router.replace({ query }))
    },
    /**
     * The address follows without a new entry: *back* leaves the queue, it does not undo every step in it. Past the router,
     * which would draw the whole page for it.
     */
    follow(position: number): void {
      const target = router.resolve({ query: queryFor(at(position)) })
      history.replaceState({ ...history.state, current: target.fullPath }, '', target.href)
      keepLastPlace(items, placeOf(target))
    },
  }
}

export type WorkPlace = ReturnType<typeof usePlace>
