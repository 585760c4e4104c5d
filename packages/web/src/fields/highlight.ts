/**
 * Highlights search hits without changing elements, using the CSS Custom Highlight API (`::highlight(postil-hit)`). Browsers
 * without it show no highlights, but counting and jumping still work.
 */
import './highlight.css'
import { computed, onScopeDispose, type Ref, shallowReactive, shallowRef, watch } from 'vue'
import type { Highlight } from './field-viewer.ts'
import { findHits, toUnits } from './find-hits.ts'
import { readPageText } from './page-text.ts'

/** Hits per component. */
const hitsOf = shallowReactive(new Map<symbol, readonly StaticRange[]>())
const current = shallowRef<StaticRange | null>(null)

const toStyle = (name: string, ranges: readonly StaticRange[]) => {
  if (typeof CSS === 'undefined' || !('highlights' in CSS)) return
  if (ranges.length === 0) CSS.highlights.delete(name)
  else CSS.highlights.set(name, new globalThis.Highlight(...ranges))
}

watch(hitsOf, () => toStyle('postil-hit', [...hitsOf.values()].flat()))
watch(current, range => toStyle('postil-hit-now', range ? [range] : []))

interface Marked {
  root: Readonly<Ref<HTMLElement | null | undefined>>
  highlight: () => Highlight | null
  /** Source of the elements; when it changes, hits are computed again. */
  content: () => unknown
  /** True if the text on the page equals the value exactly, so that the server's ranges apply. */
  isWhole?: () => boolean
}

/** Highlights hits in a part of the page while the calling component is mounted. */
export function useMarks({ root, highlight, content, isWhole = () => false }: Marked): void {
  const token = Symbol('marks')
  const mark = () => {
    const [element, wanted] = [root.value, highlight()]
    if (!element || wanted === null) return void hitsOf.delete(token)
    const { text, toRange } = readPageText(element, isWhole())
    const ranges = isWhole() && wanted.ranges ? toUnits(text, wanted.ranges) : findHits(text, wanted.terms)
    hitsOf.set(
      token,
      ranges.flatMap(([start, end]) => toRange(start, end) ?? []),
    )
  }
  watch([root, highlight, content, isWhole], mark, { flush: 'post', immediate: true })
  onScopeDispose(() => {
    hitsOf.delete(token)
    // Otherwise it would keep elements of a removed record in memory.
    if (hitsOf.size === 0) current.value = null
  })
}

/** Compares by position, because ranges are created again on every render. */
const isSamePlace = (a: StaticRange, b: StaticRange) =>
  a.startContainer === b.startContainer && a.startOffset === b.startOffset && a.endOffset === b.endOffset

function compare(a: StaticRange, b: StaticRange): number {
  if (a.startContainer === b.startContainer) return a.startOffset - b.startOffset
  return a.startContainer.compareDocumentPosition(b.startContainer) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1
}

const all = computed(() =>
  [...hitsOf.values()]
    .flat()
    .filter(({ startContainer }) => startContainer.isConnected)
    .toSorted(compare),
)

function show(range: StaticRange | undefined): void {
  current.value = range ?? null
  const element = range?.startContainer.parentElement
  if (!range || !element) return
  element.closest('details')?.setAttribute('open', '')
  element.scrollIntoView({ block: 'center' })
  scrollTo(range, element, TRIES)
}

/** Minimum distance from the edges of the viewport, in px. */
const EDGE = 64
const TRIES = 5

/** Scrolls to the exact words. Content is laid out only once it is in view, so several attempts may be needed. */
function scrollTo(range: StaticRange, element: Element, tries: number): void {
  const live = document.createRange()
  live.setStart(range.startContainer, range.startOffset)
  live.setEnd(range.endContainer, range.endOffset)
  const { top, bottom } = live.getBoundingClientRect()
  const scroller = scrollerOf(element)
  const box = scroller.getBoundingClientRect()
  if (top < box.top + EDGE) scroller.scrollTop += top - box.top - EDGE
  else if (bottom > box.bottom - EDGE) scroller.scrollTop += bottom - box.bottom + EDGE
  if (tries > 0) requestAnimationFrame(() => current.value === range && scrollTo(range, element, tries - 1))
}

function scrollerOf(element: Element): Element {
  let scroller: Element | null = element
  while (scroller !== null && !/auto|scroll/.test(getComputedStyle(scroller).overflowY)) scroller = scroller.parentElement
  return scroller ?? document.documentElement
}

/** All hits of the visible records, for "3 of 17" and the keys that jump between them. */
export function useHits() {
  const index = computed(() => all.value.findIndex(range => current.value !== null && isSamePlace(range, current.value)))
  const go = (step: number) => {
    const count = all.value.length
    if (count === 0) return
    const from = index.value === -1 && step < 0 ? 0 : index.value
    show(all.value[(from + step + count) % count])
  }
  return {
    count: computed(() => all.value.length),
    /** Starts at 1; 0 before the first jump. */
    current: computed(() => index.value + 1),
    next: () => go(1),
    previous: () => go(-1),
  }
}
