/** Selection in a text by pointer or keyboard, and the boxes that show it. A selection waits for a label. */
import { computed, nextTick, onScopeDispose, type ShallowRef, shallowRef, watch } from 'vue'
import { directionOf } from '../../../fields/direction.ts'
import { t } from '../../../i18n/i18n.ts'
import { useArmed, type Waiting } from '../labels/armed.ts'
import type { Mark, SpanSource } from '../marks/marks.ts'
import { areTouching, haveSameRange, jump } from '../spans.ts'
import { type Chunk, indexAt } from '../text/chunks.ts'
import { type Box, linesOf } from '../text/dom-text.ts'
import type { Range } from '../text/offsets.ts'
import { type Cursor, cursorOn, moveCursor, rangeOf } from './cursor.ts'
import type { Marking } from './use-marking.ts'

const SETTLE_MAX = 5

interface Parts {
  root: Readonly<ShallowRef<HTMLElement | undefined>>
  text(): string
  chunks(): readonly Chunk[]
  sources(): readonly SpanSource[]
  drawn(): readonly Mark[]
  marking: Marking
  isReadonly(): boolean
  /** Renders a chunk that is not near the viewport yet. */
  bring(chunk: number): void
}

export function useTextCursor({ root, text, chunks, sources, drawn, marking, isReadonly, bring }: Parts) {
  const { stopWaiting, wait } = useArmed()
  const cursor = shallowRef<Cursor | null>(null)
  const boxes = shallowRef<Box[]>([])
  /** Start position for the keyboard. */
  let from = 0
  let isByPointer = false
  const range = computed(() => cursor.value && rangeOf(cursor.value))
  const marksHere = computed(() => {
    const at = range.value
    return at ? drawn().filter(mark => haveSameRange(mark, at)) : []
  })

  const draw = () => {
    boxes.value = root.value && range.value ? linesOf(root.value, chunks(), range.value) : []
  }
  watch(range, draw, { flush: 'post' })

  function set(next: Range | null) {
    cursor.value = next && cursorOn(next)
  }
  /** Selects by pointer. The browser shows the selection too, and it is cleared after marking. */
  function select(next: Range | null) {
    isByPointer = true
    set(next)
  }
  function letGo() {
    if (range.value) from = range.value.start
    getSelection()?.removeAllRanges()
    cursor.value = null
  }
  watch(text, () => {
    from = 0
    cursor.value = null
  })

  const waiting = new Map<string, Waiting>()
  function stop() {
    for (const [questionId, one] of waiting) stopWaiting(questionId, one)
    waiting.clear()
  }
  watch([range, sources], () => {
    stop()
    const at = range.value
    if (!at || isReadonly()) return
    for (const { question, isHidden } of sources()) {
      // A selection in the previous record would put its spans into the answer to this one.
      if (isHidden) continue
      const one = {
        mark(label: string) {
          marking.mark(question, at, label)
          if (isByPointer) letGo()
        },
      }
      waiting.set(question.id, one)
      wait(question.id, one)
    }
  })
  onScopeDispose(stop)

  /** Scrolls to the selection and announces it. */
  async function show(message: string) {
    const at = range.value
    if (!at) return
    marking.say(message)
    bring(indexAt(chunks(), at.start))
    for (let tries = 0; tries < SETTLE_MAX && range.value === at; tries++) {
      await nextTick()
      draw()
      await nextTick()
      const box = root.value?.querySelector('[data-cursor]')
      box?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      const before = box?.getBoundingClientRect().top
      // Chunks get their real height only once visible, which may move the selection away again.
      await new Promise(requestAnimationFrame)
      draw()
      await nextTick()
      if (box?.getBoundingClientRect().top === before) return
    }
  }

  function move(side: 'left' | 'right', how: { isExtending: boolean; isCharacter: boolean }) {
    const at = cursor.value?.head.start ?? from
    const paragraphs = chunks()[indexAt(chunks(), at)]?.paragraphs ?? []
    const { start, end } = paragraphs[indexAt(paragraphs, at)] ?? { start: 0, end: 0 }
    const isForward = (side === 'right') === (directionOf(text().slice(start, end)) === 'ltr')
    isByPointer = false
    cursor.value = moveCursor(text(), cursor.value, { ...how, step: isForward ? 1 : -1, from })
    if (!range.value) return
    const names = marksHere.value.map(({ name }) => name)
    void show([marking.words(range.value), ...names].join(', '))
  }

  function jumpTo(step: 1 | -1) {
    const found = jump(drawn(), range.value ?? { start: from, end: from }, step)
    if (!found) return
    isByPointer = false
    set(found)
    const all = drawn()
    const values = { label: found.name, text: marking.words(found), position: all.indexOf(found) + 1, count: all.length }
    void show(t(found.state === 'ghost' ? 'span.said_suggested' : 'span.said_at', values))
  }

  /** A click on a mark selects it; elsewhere it sets the start position for the keyboard. */
  function click(offset: number | null) {
    const mark = offset === null ? null : drawn().findLast(one => areTouching(one, { start: offset, end: offset + 1 }))
    isByPointer = false
    set(mark ?? null)
    if (offset !== null) from = offset
  }

  /** Marks that *remove* applies to: those with exactly this range, otherwise those that touch it. */
  function removable(): readonly Mark[] {
    const at = range.value
    if (!at || marksHere.value.length > 0) return marksHere.value
    return drawn().filter(mark => mark.state !== 'ghost' && areTouching(mark, at))
  }

  return { range, boxes, marksHere, draw, set, select, letGo, move, jumpTo, click, removable }
}

export type TextCursor = ReturnType<typeof useTextCursor>
