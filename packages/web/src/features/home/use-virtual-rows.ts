/** Virtual scrolling: renders the visible rows and some around them. All rows have the same height. */
import { computed, onScopeDispose, type Ref, ref, watch } from 'vue'

export interface RowWindow {
  first: number
  /** Exclusive. */
  end: number
}

const AROUND = 20

/** Returns the window of a list whose start is `top` pixels above the viewport (negative if it is below the viewport's top). */
export function toRowWindow({
  top,
  height,
  rowHeight,
  count,
}: {
  top: number
  height: number
  rowHeight: number
  count: number
}): RowWindow {
  const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight) - AROUND))
  const end = Math.max(first, Math.min(count, Math.ceil((top + height) / rowHeight) + AROUND))
  return { first, end }
}

/** Renders all rows up to `few`, so that the browser's search and screen readers can reach them. */
export function useVirtualRows(
  list: Readonly<Ref<HTMLElement | null>>,
  { count, rowHeight, few }: { count: () => number; rowHeight: number; few: number },
): Readonly<Ref<RowWindow>> {
  const place = ref({ top: 0, height: 1_000 })
  const measure = () => {
    const box = list.value?.getBoundingClientRect()
    const view = list.value?.closest('main')?.getBoundingClientRect()
    if (box && view) place.value = { top: view.top - box.top, height: view.height }
  }
  // Scroll events do not bubble, so they are observed in the capture phase.
  addEventListener('scroll', measure, { capture: true, passive: true })
  addEventListener('resize', measure)
  onScopeDispose(() => {
    removeEventListener('scroll', measure, { capture: true })
    removeEventListener('resize', measure)
  })
  watch([list, count], measure, { flush: 'post' })
  return computed(() =>
    count() <= few ? { first: 0, end: count() } : toRowWindow({ ...place.value, rowHeight, count: count() }),
  )
}
