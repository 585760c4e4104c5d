import { toColumnText } from '../columns.ts'
import { invalid } from '../errors.ts'
import { listed, quoted } from '../message-values.ts'
import { AnyJson, type Json, List, Nullable, NullByDefault, OneOf, Shape, type Static } from '../schema.ts'
import type { MetadataType } from './metadata-type.ts'

/** Below the index limit of every engine. */
const TERM_BYTES_MAX = 8000

const type = OneOf(['terms'])

const settings = Shape({ type, values: Nullable(List(AnyJson)) })
type TermsSettings = Static<typeof settings>

export const terms = {
  name: 'terms',
  settings,
  settingsCreate: Shape({ type, values: NullByDefault(List(AnyJson, { minItems: 1, maxItems: 250 })) }),
  checkValue(value, property) {
    if (!Array.isArray(value)) checkTerm(value, property)
    else for (const term of value) checkTerm(term, property)
  },
  column: { type: { list: 'string' }, read: toTerms },
  searchAs: 'keyword',
  toSearch(value) {
    const texts: string[] = []
    collectTerms(value, texts)
    return texts
  },
} satisfies MetadataType<TermsSettings>

function checkTerm(term: Json, { name, settings }: { name: string; settings: TermsSettings }): void {
  const problem = termProblem(term)
  if (problem !== null) throw invalid(`Metadata property \`${name}\` ${problem}`)
  if (settings.values === null || allowedTerms(settings).has(JSON.stringify(term))) return
  const allowed = settings.values.map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
  throw invalid(`${quoted(term)} is not a term of metadata property \`${name}\`. Terms: ${listed(allowed)}`)
}

/** Rejects terms that cannot be indexed, because no search would find them. */
function termProblem(term: Json): string | null {
  if (typeof term === 'string') {
    return isLongerThanBytes(term, TERM_BYTES_MAX) ? `expects terms of at most ${TERM_BYTES_MAX} bytes` : null
  }
  if (Array.isArray(term)) {
    for (const entry of term) {
      const problem = termProblem(entry)
      if (problem !== null) return problem
    }
    return null
  }
  return typeof term === 'object' && term !== null ? 'expects texts, numbers or booleans, not objects' : null
}

const allowed = new WeakMap<TermsSettings, ReadonlySet<string>>()

/** Returns the allowed terms as JSON, so that `1` and `"1"` are different terms. Cached per settings object. */
function allowedTerms(settings: TermsSettings): ReadonlySet<string> {
  let texts = allowed.get(settings)
  if (texts === undefined) {
    texts = new Set(settings.values?.map(value => JSON.stringify(value)))
    allowed.set(settings, texts)
  }
  return texts
}

function collectTerms(value: Json, texts: string[]): void {
  if (value === null) return
  if (typeof value === 'string') texts.push(value)
  else if (Array.isArray(value)) for (const entry of value) collectTerms(entry, texts)
  else texts.push(JSON.stringify(value))
}

/** Checks the length in UTF-8. A code unit takes one to three bytes, so most texts need no counting. */
function isLongerThanBytes(text: string, max: number): boolean {
  if (text.length * 3 <= max) return false
  let bytes = text.length
  for (let i = 0; i < text.length && bytes <= max; i++) {
    const unit = text.charCodeAt(i)
    // A surrogate pair has two code units and four bytes, so each unit adds one.
    if (unit >= 0x80) bytes += unit < 0x800 || isPaired(text, i) ? 1 : 2
  }
  return bytes > max
}

function isPaired(text: string, i: number): boolean {
  const kind = text.charCodeAt(i) & 0xfc00
  if (kind === 0xd800) return (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00
  return kind === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800
}

/**
 * Numbers and booleans are not converted, because the terms of a property may be numbers. A list of one term is that term, because
 * some formats can only hold lists.
 */
function toTerms(value: Json): Json {
  if (Array.isArray(value)) {
    const terms = value.filter(term => term !== null)
    const [only] = terms
    return terms.length === 1 && only !== undefined && typeof only !== 'object' ? only : terms
  }
  return typeof value === 'object' && value !== null ? toColumnText(value) : value
}
