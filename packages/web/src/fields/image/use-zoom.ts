/** Zoom, rotation and position of an image. The stage is a scroll container, so that scroll bars and touch work as usual. */
import { computed, nextTick, onScopeDispose, type Ref, ref, type ShallowRef, watch } from 'vue'
import { clampZoom, fitZoom, type Size, scrollTo, stepZoom, turned, wheelZoom } from './zoom.ts'

export function useZoom(stage: Readonly<ShallowRef<HTMLElement | undefined>>, size: Ref<Size | null>, room: Ref<Size>) {
  /** Zoom chosen by the user; null fits the image to the available space. */
  const chosen = ref<number | null>(null)
  const turn = ref(0)
  const image = computed(() => turned(size.value ?? { width: 0, height: 0 }, turn.value))
  const zoom = computed(() => chosen.value ?? fitZoom(image.value, room.value))
  const drawn = computed(() => ({ width: image.value.width * zoom.value, height: image.value.height * zoom.value }))
  const canPan = computed(() => drawn.value.width > room.value.width + 1 || drawn.value.height > room.value.height + 1)

  async function zoomTo(next: number | null, pointer?: { x: number; y: number }) {
    const before = zoom.value
    const box = stage.value?.getBoundingClientRect()
    chosen.value = next === null ? null : clampZoom(next)
    if (!stage.value || !box) return
    const [x, y] = pointer ? [pointer.x - box.left, pointer.y - box.top] : [box.width / 2, box.height / 2]
    const { scrollLeft, scrollTop } = stage.value
    await nextTick()
    const factor = zoom.value / before
    stage.value.scrollLeft = scrollTo(scrollLeft, x, factor)
    stage.value.scrollTop = scrollTo(scrollTop, y, factor)
  }

  function onWheel(event: WheelEvent) {
    // The wheel zooms only a focused or full-screen image, or with Ctrl (as pinch gestures do), so that the page can still be
    // scrolled.
    const isInHand =
      event.ctrlKey || event.metaKey || document.activeElement === stage.value || document.fullscreenElement !== null
    if (!isInHand) return
    event.preventDefault()
    void zoomTo(wheelZoom(zoom.value, event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 33 : event.deltaY), event)
  }
  // Added manually, because the listener must be non-passive to prevent scrolling.
  watch(stage, (next, last) => {
    last?.removeEventListener('wheel', onWheel)
    next?.addEventListener('wheel', onWheel, { passive: false })
  })
  onScopeDispose(() => stage.value?.removeEventListener('wheel', onWheel))

  function onPointerDown(event: PointerEvent) {
    const element = stage.value
    // Touch scrolls natively.
    if (!element || event.button !== 0 || event.pointerType === 'touch' || !canPan.value) return
    element.setPointerCapture(event.pointerId)
    const from = { x: event.clientX + element.scrollLeft, y: event.clientY + element.scrollTop }
    const onMove = (move: PointerEvent) => element.scrollTo(from.x - move.clientX, from.y - move.clientY)
    element.addEventListener('pointermove', onMove)
    element.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', onMove), { once: true })
  }

  return {
    zoom,
    chosen,
    turn,
    drawn,
    canPan,
    onPointerDown,
    zoomIn: () => zoomTo(stepZoom(zoom.value, 1)),
    zoomOut: () => zoomTo(stepZoom(zoom.value, -1)),
    fit: () => zoomTo(null),
    full: () => zoomTo(1),
    rotate: () => {
      turn.value = (turn.value + 90) % 360
    },
    reset: () => {
      chosen.value = null
      turn.value = 0
    },
  }
}
