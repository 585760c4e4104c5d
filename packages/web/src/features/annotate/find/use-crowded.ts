/** Whether the badges fit between the tools. If not, they get their own line. */
import { nextTick, onScopeDispose, type Ref, ref, watch } from 'vue'

/** `what` returns everything that changes the width of the row's content. */
export function useCrowded(row: Readonly<Ref<HTMLElement | null>>, what: () => unknown) {
  const isCrowded = ref(false)
  /** Width in pixels that the row needs for its whole content. */
  let needed = 0

  function measure(): void {
    const badges = row.value?.querySelector('.badges')
    if (!row.value || (isCrowded.value && row.value.clientWidth < needed)) return
    isCrowded.value = false
    if (!badges || badges.scrollWidth <= badges.clientWidth) return
    needed = row.value.clientWidth + badges.scrollWidth - badges.clientWidth
    isCrowded.value = true
  }

  const observer = new ResizeObserver(() => measure())
  watch(row, element => {
    observer.disconnect()
    if (element) observer.observe(element)
  })
  watch(
    what,
    async () => {
      isCrowded.value = false
      await nextTick()
      measure()
    },
    { immediate: true, flush: 'post' },
  )
  onScopeDispose(() => observer.disconnect())
  return isCrowded
}
