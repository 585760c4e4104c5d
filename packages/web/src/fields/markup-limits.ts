/**
 * Limits of HTML that is made into elements. The sanitizer needs the page's thread, and the HTML parser can make far more elements
 * than there are tags: every formatting element that is not closed is repeated in each block that follows.
 */
const LENGTH_MAX = 1_000_000
const ELEMENTS_MAX = 6_000
const DEPTH_MAX = 200

const TAG = /<(\/?)([a-z][a-z0-9-]*)/gi
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '))
/** These have no end tag, or may leave it out. */
const WITHOUT_END = new Set(
  'area br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot colgroup option rp rt'.split(
    ' ',
  ),
)

/** In time that grows with the length only. */
export function isWithinLimits(html: string): boolean {
  if (html.length > LENGTH_MAX) return false
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
