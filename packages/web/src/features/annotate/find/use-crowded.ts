/** Whether the badges still fit between the tools. Where they do not, they get a line of their own. */
import { nextTick, onScopeDispose, type Ref, ref, watch } from 'vue'

/** `what` is everything that changes the width of the row's contents. */
export function useCrowded(row: Readonly<Ref<HTMLElement | null>>, what: () => unknown) {
  const isCrowded = ref(false)
  /** How wide the row must be to hold everything. */
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
