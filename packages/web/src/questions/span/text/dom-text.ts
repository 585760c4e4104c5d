/**
 * Converts between text offsets and DOM positions. Every paragraph is an element with its start offset in `data-from`; its text
 * content equals the paragraph.
 */
import { type Chunk, indexAt } from './chunks.ts'
import type { Range } from './offsets.ts'

const textsIn = (element: Element) => document.createTreeWalker(element, NodeFilter.SHOW_TEXT)

/** Returns the text node and the offset in it; null if the paragraph is not rendered. */
function pointIn(paragraph: Element | null, offset: number): [Text, number] | null {
  if (!paragraph) return null
  let left = offset
  let last: Text | null = null
  const walker = textsIn(paragraph)
  for (let node = walker.nextNode(); node instanceof Text; node = walker.nextNode()) {
    if (left < node.length) return [node, left]
    left -= node.length
    last = node
  }
  return last && [last, last.length]
}

const paragraphAt = (root: Element, chunks: readonly Chunk[], at: number) => {
  const paragraphs = chunks[indexAt(chunks, at)]?.paragraphs ?? []
  const from = paragraphs[indexAt(paragraphs, at)]?.start ?? 0
  return { from, element: root.querySelector(`[data-from="${from}"]`) }
}

function toDomRange(root: Element, chunks: readonly Chunk[], { start, end }: Range): globalThis.Range | null {
  const first = paragraphAt(root, chunks, start)
  // Uses the last character, so that the range does not extend into the next paragraph.
  const last = paragraphAt(root, chunks, Math.max(start, end - 1))
  const from = pointIn(first.element, start - first.from)
  const to = pointIn(last.element, Math.max(start, end - 1) - last.from)
  if (!from || !to) return null
  const range = document.createRange()
  range.setStart(...from)
  range.setEnd(to[0], Math.min(to[1] + (end > start ? 1 : 0), to[0].length))
  return range
}

/** Returns the text offset of a DOM position; positions before or after the text map to its start or end. */
function toOffset(root: Element, textLength: number, node: Node, offset: number): number {
  const inside = node instanceof Element ? (node.childNodes[offset] ?? node) : node
  const element = inside instanceof Element ? inside : inside.parentElement
  const paragraph = element?.closest<HTMLElement>('[data-from]')
  if (!paragraph || !root.contains(paragraph)) {
    if (root.contains(element) && element !== root) return beforeNext(root, textLength, element)
    return root.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING ? 0 : textLength
  }
  const range = document.createRange()
  range.setStart(paragraph, 0)
  range.setEnd(node, offset)
  return Number(paragraph.dataset.from) + (range.collapsed ? 0 : range.toString().length)
}

/** Returns the start of the next paragraph for a position between paragraphs, such as in the label names below a chunk. */
function beforeNext(root: Element, textLength: number, element: Element | null): number {
  const paragraphs = Array.from(root.querySelectorAll<HTMLElement>('[data-from]'))
  const next = paragraphs.find(one => element && element.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING)
  return next ? Number(next.dataset.from) : textLength
}

/** Returns the selected range of the text, or null. */
export function selectedRange(root: Element, textLength: number): Range | null {
  const selection = getSelection()
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  if (!range.intersectsNode(root)) return null
  const start = toOffset(root, textLength, range.startContainer, range.startOffset)
  const end = toOffset(root, textLength, range.endContainer, range.endOffset)
  return start < end ? { start, end } : null
}

/** Returns the offset of the character at a viewport position, or null outside the text. */
export function offsetAtPoint(root: Element, textLength: number, x: number, y: number): number | null {
  const caret = document.caretPositionFromPoint?.(x, y)
  if (!caret || !root.contains(caret.offsetNode)) return null
  return toOffset(root, textLength, caret.offsetNode, caret.offset)
}

export interface Box {
  left: number
  top: number
  width: number
  height: number
}

/** Longer selections are drawn by the browser only. */
const DRAWN_MAX = 20_000

/** Returns one box per line of the range, relative to `root`. */
export function linesOf(root: Element, chunks: readonly Chunk[], range: Range): Box[] {
  const drawn = range.end - range.start > DRAWN_MAX ? null : toDomRange(root, chunks, range)
  if (!drawn) return []
  const corner = root.getBoundingClientRect()
  const lines: Box[] = []
  for (const { left, right, top, height } of drawn.getClientRects()) {
    if (right <= left) continue
    const line = lines.find(one => Math.abs(one.top + corner.top - top) < height / 2)
    if (!line) {
      lines.push({ left: left - corner.left, top: top - corner.top, width: right - left, height })
      continue
    }
    const end = Math.max(line.left + line.width, right - corner.left)
    line.left = Math.min(line.left, left - corner.left)
    line.width = end - line.left
  }
  return lines
}

/** Returns the viewport boxes of the first character of each range. `starts` must be sorted and inside this chunk. */
export function firstBoxes(chunk: Element, starts: readonly number[]): (DOMRect | null)[] {
  const range = document.createRange()
  const boxes: (DOMRect | null)[] = []
  // A single pass, because a chunk may contain hundreds of ranges.
  for (const paragraph of chunk.querySelectorAll<HTMLElement>('[data-from]')) {
    let from = Number(paragraph.dataset.from)
    const walker = textsIn(paragraph)
    for (let node = walker.nextNode(); node instanceof Text; node = walker.nextNode()) {
      const { length } = node
      for (let start = starts[boxes.length]; start !== undefined && start < from + length; start = starts[boxes.length]) {
        range.setStart(node, Math.max(0, start - from))
        range.setEnd(node, Math.min(start - from + 1, length))
        boxes.push(range.getClientRects()[0] ?? null)
      }
      from += length
    }
  }
  return boxes
}
