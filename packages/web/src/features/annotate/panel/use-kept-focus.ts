/**
 * Keeps the focus when an admin changes the order of the questions, because browsers drop the focus of an element that is moved.
 * The element also stays where it is on the screen, as far as the form can scroll.
 */
import { nextTick, type Ref, watch } from 'vue'

export function useKeptFocus(root: Readonly<Ref<HTMLElement | undefined>>, order: () => string): void {
  watch(order, async () => {
    const { activeElement: focused } = document
    if (!(focused instanceof HTMLElement) || !root.value?.contains(focused)) return
    const { top } = focused.getBoundingClientRect()
    await nextTick()
    if (!root.value?.contains(focused)) return
    focused.focus({ preventScroll: true })
    root.value.scrollTop += focused.getBoundingClientRect().top - top
  })
}
