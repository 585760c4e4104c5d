/**
 * Dragging with mouse, pen or touch. It starts after the pointer has moved a few pixels, so that clicks still work. Escape and
 * `pointercancel` end it without a drop.
 */
interface Drag {
  start(): void
  move(offset: { x: number; y: number }, below: Element | null): void
  /** `below` is the element under the pointer; null if the drag was cancelled. */
  end(below: Element | null): void
}

const BEGINS_AFTER_PX = 4

export function startDrag(event: PointerEvent, drag: Drag): void {
  if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return
  const { pointerId, clientX, clientY, currentTarget: handle } = event
  let isDragging = false

  function onMove(move: PointerEvent) {
    if (move.pointerId !== pointerId) return
    const [x, y] = [move.clientX - clientX, move.clientY - clientY]
    if (!isDragging && Math.hypot(x, y) < BEGINS_AFTER_PX) return
    if (!isDragging) {
      isDragging = true
      handle.setPointerCapture(pointerId)
      drag.start()
    }
    move.preventDefault()
    drag.move({ x, y }, document.elementFromPoint(move.clientX, move.clientY))
  }
  function stop(below: Element | null) {
    ending.abort()
    if (!isDragging) return
    // Suppresses the click that follows a drag.
    addEventListener('click', swallow, { capture: true, once: true })
    setTimeout(() => removeEventListener('click', swallow, { capture: true }))
    drag.end(below)
  }
  const swallow = (click: Event) => {
    click.stopPropagation()
    click.preventDefault()
  }
  /** Stops Escape from also leaving the question. */
  const giveUp = (key: KeyboardEvent) => {
    if (key.key !== 'Escape' || !isDragging) return
    key.stopPropagation()
    stop(null)
  }
  const ending = new AbortController()
  const { signal } = ending
  addEventListener('pointermove', onMove, { signal, passive: false })
  addEventListener('pointerup', up => up.pointerId === pointerId && stop(document.elementFromPoint(up.clientX, up.clientY)), {
    signal,
  })
  addEventListener('pointercancel', () => stop(null), { signal })
  addEventListener('keydown', giveUp, { signal, capture: true })
}
