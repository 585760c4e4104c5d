/**
 * Limits for HTML that is converted to elements. The sanitizer runs on the main thread, and the HTML parser can create far more
 * elements than there are tags, because it repeats every unclosed formatting element in each following block.
 */
const LENGTH_MAX = 1_000_000
const ELEMENTS_MAX = 6_000
const DEPTH_MAX = 200
/** Maximum number of characters without a line break opportunity, because browsers' layout time grows with its square. */
const UNBROKEN_MAX = 2_000

const TAG = /<(\/?)([a-z][a-z0-9-]*)/gi
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '))
/** Elements without an end tag, or with an optional one. */
const WITHOUT_END = new Set(
  'area br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot colgroup option rp rt'.split(
    ' ',
  ),
)

const PIECE = /<\/?([a-z][a-z0-9-]*)[^>]*>?|[^\s<]+|</gi
const LINE_ENDS = new Set(
  'br hr p div li td th dt dd h1 h2 h3 h4 h5 h6 pre blockquote tr table ul ol dl details summary figure figcaption caption'.split(
    ' ',
  ),
)

/** Checks for line break opportunities. Inline tags are not one. */
function hasBreaks(html: string): boolean {
  let unbroken = 0
  for (const { 0: piece, 1: tag, index } of html.matchAll(PIECE)) {
    if (/\s/.test(html[index - 1] ?? '') || LINE_ENDS.has(tag?.toLowerCase() ?? '')) unbroken = 0
    if (tag === undefined) unbroken += piece.length
    if (unbroken > UNBROKEN_MAX) return false
  }
  return true
}

/** Runs in linear time. */
export function isWithinLimits(html: string): boolean {
  if (html.length > LENGTH_MAX || !hasBreaks(html)) return false
  const open = new Map<string, number>()
  let [tags, depth, formatting] = [0, 0, 0]
  for (const [, slash, name = ''] of html.matchAll(TAG)) {
    const tag = name.toLowerCase()
    if (WITHOUT_END.has(tag) || slash === '') tags++
    if (WITHOUT_END.has(tag)) continue
    const before = open.get(tag) ?? 0
    const change = slash === '' ? 1 : before > 0 ? -1 : 0
    open.set(tag, before + change)
    depth += change
    if (FORMATTING.has(tag)) formatting = Math.max(formatting, before + change)
    if (depth > DEPTH_MAX || tags * Math.max(1, formatting) > ELEMENTS_MAX) return false
  }
  return tags <= ELEMENTS_MAX
}
