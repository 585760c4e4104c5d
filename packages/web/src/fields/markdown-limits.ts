/**
 * Which texts are parsed as markdown at all. Some texts of a few thousand signs keep a parser busy for minutes, and a record may
 * hold such a text on purpose; the page that shows it must not stop. They are shown as they are written.
 *
 * The parser looks around at every sign that may open something, within the paragraph it stands in; so the work is counted as
 * signs times letters of a paragraph. Counting itself takes one look at each letter.
 */

/** Nobody reads more in one field. */
const LENGTH_MAX = 100_000
const DEPTH_MAX = 40
/** Some hundred milliseconds. */
const WORK_MAX = 6_000_000
/** What a paragraph of plain prose needs at most, and what costs next to nothing. */
const PART_WORK_FREE = 200_000

const SIGNS = new Set([...'*_![`~<$&@\\'].map(sign => sign.charCodeAt(0)))
const FENCE = /^ {0,3}(```|~~~)/
/** One step deeper: an item of a list or a quote. */
const STEP = /[ \t]*(?:[-*+>]|\d{1,9}[.)])/y
/** Stands by itself: a row, an item, a quote, a heading. */
const APART = /^[ \t]*(?:[-+|>#]|\* |\d{1,9}[.)] )/

function isTooDeep(line: string): boolean {
  STEP.lastIndex = 0
  let depth = 0
  while (STEP.test(line)) if (++depth > DEPTH_MAX) return true
  return false
}

function countSigns(line: string): number {
  let count = 0
  for (let i = 0; i < line.length; i++) if (SIGNS.has(line.charCodeAt(i))) count++
  return count
}

export function isReadableMarkdown(text: string): boolean {
  if (text.length > LENGTH_MAX) return false
  let work = 0
  let part = { length: 0, signs: 0 }
  let fence: string | null = null
  const close = () => {
    work += Math.max(0, part.length * part.signs - PART_WORK_FREE)
    part = { length: 0, signs: 0 }
  }
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? null
    if (fence !== null) {
      if (mark === fence) fence = null
      continue
    }
    fence = mark
    if (isTooDeep(line)) return false
    if (APART.test(line) || line.trim() === '') close()
    part.length += line.length + 1
    part.signs += countSigns(line)
  }
  close()
  return work <= WORK_MAX
}
