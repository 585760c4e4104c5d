/** Random texts and queries over them. */
import { parseTextQuery, type TextQuery } from '@postil/domain/search/text-query'
import fc from 'fast-check'
import type { PlainQuery } from '../plain.contract.ts'

/** Number of fields of the texts. */
export const FIELDS = 2
// Tokens as in the index. They are short, so that they coincide, share prefixes and are within small edit distances; some are
// outside the Basic Multilingual Plane.
const token = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }) },
  fc.constantFrom('東', '京', '😀', '𐐨', '𐐨𐐩', 'a𐐩', "a'b", 'a.b', 'é'.normalize('NFC')),
)
const text = fc
  .array(fc.oneof(token, fc.constantFrom('Ab', 'a-b', '東京', '...', 'Éa')), { maxLength: 8 })
  .map(words => words.join(' '))
export const pieces = fc.option(fc.array(text, { maxLength: 3 }), { nil: null })
export const textDocument = fc.record({
  recordNo: fc.integer({ min: 1, max: 12 }),
  pieces: fc.array(pieces, { minLength: FIELDS, maxLength: FIELDS }),
})

const queryToken = token.map(word => word.replace('é', 'e'))
const tokens = (maxLength: number) => fc.array(queryToken, { minLength: 1, maxLength })
const tree = fc.letrec<{ tree: TextQuery }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant('word' as const), runs: fc.array(tokens(2), { minLength: 1, maxLength: 2 }) }),
    fc.record({ kind: fc.constant('phrase' as const), tokens: tokens(4), slop: fc.constantFrom(0, 1, 2, 3, 8, 1_000_000) }),
    fc.record({ kind: fc.constant('prefix' as const), start: fc.oneof(queryToken, fc.constantFrom('', 'zz')) }),
    fc.record({ kind: fc.constant('fuzzy' as const), token: queryToken, distance: fc.constantFrom(1 as const, 2 as const) }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), part: tie('tree') }),
    fc.constantFrom<TextQuery>({ kind: 'all' }, { kind: 'none' }),
  ),
})).tree
const typed = fc
  .array(fc.oneof(text, fc.constantFrom('-', '|', '"', '*', '~1', '(', ')')), { maxLength: 6 })
  .map(parts => parseTextQuery(parts.join('')))
export const textQuery: fc.Arbitrary<PlainQuery> = fc.record({
  tree: fc.oneof({ weight: 4, arbitrary: tree }, typed),
  field: fc.constantFrom(null, 0, 1, 7, -1),
})
