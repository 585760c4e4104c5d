/**
 * Selection by mouse, pen and touch. The browser draws and moves it; the preview shows what would be marked: whole words, or
 * single characters while Shift is held. With an armed label, a mouse marks on release; on touch screens, the user adjusts the
 * browser's handles and then confirms.
 */
import { onBeforeUnmount, onMounted, ref, type ShallowRef } from 'vue'
import { offsetAtPoint, selectedRange } from '../text/dom-text.ts'
import type { Range } from '../text/offsets.ts'
import { snapToCharacters, snapToWords } from '../text/words.ts'

interface Pointer {
  root: Readonly<ShallowRef<HTMLElement | undefined>>
  text(): string
  isReadonly(): boolean
  allowsCharacters(): boolean
  /** Null if nothing would be marked. */
  preview(range: Range | null): void
  /** Called when the mouse button is released. */
  take(range: Range): void
  /** Called for a click without a selection. */
  click(offset: number | null): void
}

export function usePointer({ root, text, isReadonly, allowsCharacters, preview, take, click }: Pointer) {
  const isTouch = ref(false)
  let isDown = false
  let isCharacters = false
  let isOnOurs = false

  function current(): Range | null {
    const range = root.value && selectedRange(root.value, text().length)
    if (!range) return null
    return isCharacters && allowsCharacters() ? snapToCharacters(text(), range) : snapToWords(text(), range)
  }

  function onDown(event: PointerEvent) {
    isTouch.value = event.pointerType === 'touch'
    isOnOurs = isOurs(event.target)
    if (isTouch.value || event.button !== 0 || isReadonly() || isOnOurs) return
    isDown = true
    isCharacters = event.shiftKey
    if (event.shiftKey) beginAt(event)
  }

  /** Resets the selection, because with Shift the browser would extend the previous one. */
  function beginAt({ clientX, clientY }: PointerEvent) {
    const caret = document.caretPositionFromPoint?.(clientX, clientY)
    if (caret) getSelection()?.collapse(caret.offsetNode, caret.offset)
  }

  const onMove = (event: PointerEvent) => {
    if (isDown) isCharacters = event.shiftKey
  }

  function onUp(event: PointerEvent) {
    if (!isDown) return
    isDown = false
    isCharacters = event.shiftKey
    const range = current()
    if (range) return take(range)
    if (event.target instanceof Node && root.value?.contains(event.target)) {
      click(offsetAtPoint(root.value, text().length, event.clientX, event.clientY))
    }
  }

  function onSelection() {
    if (isDown) return preview(current())
    const anchor = getSelection()?.anchorNode
    // A tap on the label list moves the selection there; the previous selection still applies.
    if (!isTouch.value || isReadonly() || isOnOurs || !anchor || !root.value?.contains(anchor) || isOurs(anchor)) return
    preview(current())
  }

  onMounted(() => {
    document.addEventListener('selectionchange', onSelection)
    addEventListener('pointerup', onUp)
    addEventListener('pointercancel', onUp)
  })
  onBeforeUnmount(() => {
    document.removeEventListener('selectionchange', onSelection)
    removeEventListener('pointerup', onUp)
    removeEventListener('pointercancel', onUp)
  })
  return { isTouch, onDown, onMove }
}

/** True for names below the text and for popups that they open. */
function isOurs(target: EventTarget | null): boolean {
  const element = target instanceof Element ? target : target instanceof Node ? target.parentElement : null
  return element !== null && element.closest('[data-ours]') !== null
}
