/**
 * Selections by mouse, pen and finger. The browser draws and moves them; what would be marked is shown beside as whole words,
 * or as single characters while Shift is held. With a label in hand a mouse marks when it lets go; a finger first moves the
 * browser's handles and then says so.
 */
import { onBeforeUnmount, onMounted, ref, type ShallowRef } from 'vue'
import { offsetAtPoint, selectedRange } from './dom-text.ts'
import type { Range } from './offsets.ts'
import { snapToCharacters, snapToWords } from './words.ts'

interface Pointer {
  root: Readonly<ShallowRef<HTMLElement | undefined>>
  text(): string
  isReadonly(): boolean
  allowsCharacters(): boolean
  /** Null: nothing would be marked. */
  preview(range: Range | null): void
  /** The mouse let go. */
  take(range: Range): void
  /** A click without a selection. */
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

  /** With Shift the browser would go on from the last selection, wherever that was. */
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
    // A tap on the label list moves the selection there; what was selected before is still meant.
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

/** Names under the text and what opens from them. */
function isOurs(target: EventTarget | null): boolean {
  const element = target instanceof Element ? target : target instanceof Node ? target.parentElement : null
  return element !== null && element.closest('[data-ours]') !== null
}
