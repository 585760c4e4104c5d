/** Space available for an image: the width of its column, and a height that depends on where it is shown. */
import { onMounted, onScopeDispose, type Ref, ref, type ShallowRef } from 'vue'
import type { Size } from './zoom.ts'

export type Where = 'page' | 'list' | 'screen'

const LIST_HEIGHT = 160
/**
 * Width of the last image in such a place. The next image starts with it, so that no layout read is needed before it is drawn.
 */
const lastWidth: Record<Where, number> = { page: 600, list: 600, screen: 600 }

const heightIn = (where: Where) => (where === 'screen' ? innerHeight : where === 'list' ? LIST_HEIGHT : innerHeight * 0.7)

export function useRoom(viewer: Readonly<ShallowRef<HTMLElement | null>>, where: () => Where) {
  const room: Ref<Size> = ref({ width: lastWidth[where()], height: heightIn(where()) })

  function set(width: number): void {
    if (width <= 0) return
    lastWidth[where()] = width
    const next = { width, height: heightIn(where()) }
    if (next.width !== room.value.width || next.height !== room.value.height) room.value = next
  }

  const observer = new ResizeObserver(entries => set(entries.at(-1)?.contentRect.width ?? 0))
  onMounted(() => {
    if (viewer.value) observer.observe(viewer.value)
  })
  onScopeDispose(() => observer.disconnect())
  return { room, measure: () => set(viewer.value?.clientWidth ?? 0) }
}
