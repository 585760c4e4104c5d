/** Text of a part of the page as one string, with a mapping from offsets back to DOM positions. */

export interface PageText {
  text: string
  /** Returns null if the range is not inside text, for example between two blocks. */
  toRange(start: number, end: number): StaticRange | null
}

interface Piece {
  node: Text
  start: number
}

const BLOCKS = new Set(
  'ADDRESS BLOCKQUOTE BR CAPTION DD DETAILS DIV DL DT FIGCAPTION FIGURE H1 H2 H3 H4 H5 H6 HR LI OL P PRE SUMMARY TABLE TD TH TR UL'.split(
    ' ',
  ),
)
/** Texts of the UI inside a record. */
const OURS = 'button, .visually-hidden, .field-tools, .held-media'

/**
 * `isWhole`: the text contains its own line breaks, so that offsets match those of the value. Otherwise blocks are separated, so
 * that no word spans two of them.
 */
export function readPageText(root: Element, isWhole: boolean): PageText {
  const pieces: Piece[] = []
  let text = ''
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, node =>
    node instanceof Element && node.matches(OURS) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  )
  let block: Element | null = null
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Text) {
      const own = blockOf(node, root)
      if (!isWhole && own !== block) text += '\n'
      block = own
      pieces.push({ node, start: text.length })
      text += node.data
    } else if (!isWhole && BLOCKS.has(node.nodeName)) {
      block = null
    }
  }
  return { text, toRange: (start, end) => toRange(pieces, start, end) }
}

function blockOf(node: Node, root: Element): Element | null {
  let element = node.parentElement
  while (element !== null && element !== root && !BLOCKS.has(element.tagName)) element = element.parentElement
  return element
}

/** Binary search for the last piece that starts at or before the offset. */
function pieceAt(pieces: readonly Piece[], offset: number): Piece | undefined {
  let low = 0
  let high = pieces.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pieces[middle]?.start ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return pieces[low - 1]
}

function toRange(pieces: readonly Piece[], start: number, end: number): StaticRange | null {
  const first = pieceAt(pieces, start)
  const last = pieceAt(pieces, end - 1)
  if (!first || !last) return null
  const [startOffset, endOffset] = [start - first.start, end - last.start]
  if (startOffset > first.node.length || endOffset > last.node.length) return null
  return new StaticRange({ startContainer: first.node, startOffset, endContainer: last.node, endOffset })
}
