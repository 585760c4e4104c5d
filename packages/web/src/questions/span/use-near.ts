/** Tracks which chunks of a text are near the viewport. The first ones render immediately, the others when they come near. */
import { onBeforeUnmount, onMounted, type ShallowRef, shallowReactive, watch } from 'vue'

const FIRST = 2
const MARGIN = '800px 0px'

export function useNear(root: Readonly<ShallowRef<HTMLElement | undefined>>, count: () => number) {
  const near = shallowReactive(new Set<number>())
  let observer: IntersectionObserver | undefined

  function start() {
    observer?.disconnect()
    near.clear()
    for (let index = 0; index < Math.min(FIRST, count()); index++) near.add(index)
  }

  /** Call after the chunks are rendered. */
  function observe() {
    const elements = Array.from(root.value?.querySelectorAll<HTMLElement>('[data-chunk]') ?? [])
    if (elements.length <= FIRST) return
    observer ??= new IntersectionObserver(onSeen, { rootMargin: MARGIN, scrollMargin: MARGIN })
    for (const element of elements.slice(FIRST)) observer.observe(element)
  }

  function onSeen(entries: IntersectionObserverEntry[]) {
    for (const { target, isIntersecting } of entries) {
      const index = Number(target instanceof HTMLElement ? target.dataset.chunk : Number.NaN)
      if (isIntersecting) near.add(index)
      else near.delete(index)
    }
  }

  start()
  watch(count, start, { flush: 'pre' })
  watch(count, observe, { flush: 'post' })
  onMounted(observe)
  onBeforeUnmount(() => observer?.disconnect())
  return { near, bring: (index: number) => near.add(index) }
}
