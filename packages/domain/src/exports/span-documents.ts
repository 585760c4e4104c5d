/** Annotated texts in formats for named entity recognition: CoNLL (IOB2) and spaCy JSON. */
import { codePointLength } from '../code-points.ts'
import { isWhite, type Span, toTokens, withoutOverlaps } from './tokens.ts'

export interface SpanDocument {
  id: string
  text: string
  spans: readonly Span[]
  /** Username of the respondent; null for a resolved answer. */
  user: string | null
}

/** Drops spans past the end of the text, because the text may have changed since the answer. */
const spansWithinText = ({ text, spans }: SpanDocument): Span[] => {
  const length = codePointLength(text)
  return spans.filter(({ start, end }) => start < end && end <= length)
}

/** Replaces white space, which separates columns and lines. */
const toWord = (text: string) => text.replace(/\s+/gu, '_')

/** Writes a line for each token: the token, a tab and its tag. White space is not a token. An empty line ends the document. */
export function toConll(document: SpanDocument): string {
  const all = spansWithinText(document)
  const spans = withoutOverlaps(all)
  const lines = [`# id = ${document.id.replace(/[\r\n]+/g, ' ')}`]
  if (document.user !== null) lines.push(`# user = ${document.user}`)
  if (spans.length < all.length) lines.push(`# overlapping spans left out = ${all.length - spans.length}`)
  let next = 0
  let isInside = false
  for (const { text, start } of toTokens(document.text, spans)) {
    while ((spans[next]?.end ?? Number.POSITIVE_INFINITY) <= start) {
      next++
      isInside = false
    }
    if (isWhite(text)) continue
    const span = spans[next]
    const isOf = span !== undefined && span.start <= start
    lines.push(`${text}\t${isOf ? `${isInside ? 'I' : 'B'}-${toWord(span.label)}` : 'O'}`)
    isInside = isOf
  }
  return `${lines.join('\n')}\n\n`
}

/** Key of the group of spans that may overlap; spaCy's default name. */
const SPANS_KEY = 'sc'

/**
 * Writes one line for `Doc(vocab).from_json(…)` of spaCy 3.5 or newer. `ents` cannot overlap, so they are the same spans as in
 * `toConll`.
 */
export function toSpacy(document: SpanDocument): string {
  const spans = trimSpans(document.text, spansWithinText(document))
  const entities = withoutOverlaps(spans)
  const tokens = toSpacyTokens(document.text, spans).map(({ start, end }, id) => ({ id, start, end }))
  const toRange = ({ start, end, label }: Span) => ({ start, end, label })
  const json = {
    text: document.text,
    tokens,
    ents: entities.map(toRange),
    spans: { [SPANS_KEY]: spans.map(span => ({ ...toRange(span), kb_id: '' })) },
    meta: { id: document.id, user: document.user },
  }
  return `${JSON.stringify(json)}\n`
}

/** Trims white space from spans, because spaCy does not allow it at their edges. Drops spans that contain only white space. */
function trimSpans(text: string, spans: readonly Span[]): Span[] {
  const points = Array.from(text)
  const isWhiteAt = (position: number) => isWhite(points[position] ?? '')
  return spans.flatMap(({ label, ...span }) => {
    let { start, end } = span
    while (start < end && isWhiteAt(start)) start++
    while (start < end && isWhiteAt(end - 1)) end--
    return start < end ? [{ label, start, end }] : []
  })
}

/**
 * Returns spaCy's tokens: a single space after a word belongs to the word, and all other white space up to the next word is one
 * token.
 */
function toSpacyTokens(text: string, spans: readonly Span[]): { start: number; end: number }[] {
  return toTokens(text, spans).flatMap(({ text, start, end }, index) => {
    if (index === 0 || !isWhite(text) || !text.startsWith(' ')) return [{ start, end }]
    return end - start === 1 ? [] : [{ start: start + 1, end }]
  })
}
