/** Breaks text into lines by estimated character widths. The viewer's fonts are unknown, so the estimate is rather wide. */
const WIDE = /^[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\p{Extended_Pictographic}]/u
const BROADEST = /^[MWmw@%]/
const BROAD = /^[\p{Lu}&\d_]/u
const SLIM = /^[\p{P}\p{Z}fijlrt]/u

/** Created on first use: it takes milliseconds, in every thread. */
let segmenter: Intl.Segmenter | undefined

function toGraphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

function widthOf(grapheme: string): number {
  if (WIDE.test(grapheme)) return 1.05
  if (BROADEST.test(grapheme)) return 1
  if (BROAD.test(grapheme)) return 0.72
  return SLIM.test(grapheme) ? 0.4 : 0.58
}

/** Counts how many graphemes fit into this width. */
function countFitting(graphemes: readonly string[], ems: number): number {
  let width = 0
  const over = graphemes.findIndex(grapheme => {
    width += widthOf(grapheme)
    return width > ems
  })
  return over === -1 ? graphemes.length : over
}

/** Finds a break before a space or after a joining character, or else anywhere within a long word. */
function findBreak(graphemes: readonly string[], fitting: number): number {
  for (let at = fitting; at > 0; at--) {
    if (graphemes[at] === ' ' || /^[-_/]$/.test(graphemes[at - 1] ?? '')) return at
  }
  return Math.max(1, fitting)
}

/** Breaks between words if possible. Text that does not fit into the last line ends with an ellipsis. */
export function toLines(text: string, { ems, linesMax }: { ems: number; linesMax: number }): string[] {
  const lines: string[] = []
  let rest = toGraphemes(text.trim())
  while (rest.length > 0) {
    const fitting = countFitting(rest, ems)
    if (fitting === rest.length) return [...lines, rest.join('')]
    if (lines.length === linesMax - 1)
      return [
        ...lines,
        `${rest
          .slice(0, countFitting(rest, ems - 1))
          .join('')
          .trimEnd()}…`,
      ]
    const end = findBreak(rest, fitting)
    lines.push(rest.slice(0, end).join(''))
    rest = rest.slice(rest[end] === ' ' ? end + 1 : end)
  }
  return lines
}
