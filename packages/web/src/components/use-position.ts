/** Positions a floating panel next to its anchor, and repositions it while anything scrolls or the window is resized. */
import { onScopeDispose } from 'vue'

/** Minimum distance to the edges of the window. */
const EDGE = 8
const GAP = 4

interface Options {
  panel: () => HTMLElement | null | undefined
  /** The current box of the anchor, in window coordinates. */
  anchor: () => DOMRect | undefined
  align?: () => 'start' | 'end'
  /** Makes the panel at least as wide as its anchor. */
  matchesWidth?: boolean
}

export function usePosition({ panel, anchor, align = () => 'start', matchesWidth = false }: Options) {
  /** Below the anchor, or above it if there is more room; always inside the window. */
  function place(): void {
    const element = panel()
    const box = anchor()
    if (!element || !box) return
    if (matchesWidth) element.style.minWidth = `${box.width}px`
    const { offsetWidth: width, offsetHeight: height, style } = element
    const isRight = (align() === 'end') !== (document.dir === 'rtl')
    const below = innerHeight - box.bottom
    const top = below < height + EDGE && box.top > below ? box.top - height - GAP : box.bottom + GAP
    style.left = `${clamp(isRight ? box.right - width : box.left, innerWidth - width - EDGE)}px`
    style.top = `${clamp(top, innerHeight - height - EDGE)}px`
  }

  function onScroll({ target }: Event): void {
    const isInside = target instanceof Node && panel()?.contains(target)
    if (!isInside) place()
  }

  /** Call it once the panel is shown; its size is unknown before. */
  function start(): void {
    if (!panel()) return
    place()
    addEventListener('scroll', onScroll, { capture: true, passive: true })
    addEventListener('resize', place)
  }
  function stop(): void {
    removeEventListener('scroll', onScroll, { capture: true })
    removeEventListener('resize', place)
  }
  onScopeDispose(stop)

  return { start, stop }
}

const clamp = (at: number, max: number) => Math.max(EDGE, Math.min(at, max))

/** The box of an element that may be redrawn or removed: measured now, and moved along with its container. */
export function boxInside(container: () => Element | undefined, element: Element): () => DOMRect {
  const box = element.getBoundingClientRect()
  const before = container()?.getBoundingClientRect()
  return () => {
    const now = container()?.getBoundingClientRect()
    return before && now ? new DOMRect(box.x + now.x - before.x, box.y + now.y - before.y, box.width, box.height) : box
  }
}
