/**
 * Dragging with mouse, pen or finger. It begins once the pointer has moved a little, so that a click stays a click; Escape and
 * a cancelled pointer end it without a drop.
 */
interface Drag {
  start(): void
  move(offset: { x: number; y: number }, below: Element | null): void
  /** `below`: what lies under the pointer; null: the drag was given up. */
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
    // The click that follows a drag is not meant.
    addEventListener('click', swallow, { capture: true, once: true })
    setTimeout(() => removeEventListener('click', swallow, { capture: true }))
    drag.end(below)
  }
  const swallow = (click: Event) => {
    click.stopPropagation()
    click.preventDefault()
  }
  /** Escape is used up: it does not leave the question as well. */
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
