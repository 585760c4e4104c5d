import { TOKEN_LENGTH_MAX } from '@postil/domain/search/tokens'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSegment } from './build.ts'
import { openSegment } from './segment.ts'

const term = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '𐐨'), minLength: 1, maxLength: 6 }),
  fc.constantFrom('é', 'ж', '東', 'z'.repeat(TOKEN_LENGTH_MAX), '𐐨'.repeat(TOKEN_LENGTH_MAX)),
)
// Enough for several blocks.
const terms = fc.uniqueArray(term, { maxLength: 120 })

function openField(words: readonly string[]) {
  const field = openSegment(buildSegment(words.map((word, i) => ({ recordNo: i + 1, pieces: [[word]] })))).fields[0]
  const sorted = [...new Set(words.map(word => word.replace('é', 'e')))].sort()
  return { sorted, cursor: () => field?.cursor() ?? expect.fail('no field') }
}

function listRest(cursor: ReturnType<ReturnType<typeof openField>['cursor']>): string[] {
  const rest: string[] = []
  while (cursor.next()) rest.push(cursor.term())
  return rest
}

test('a cursor gives all terms in order, with what each shares with the one before', () => {
  const property = fc.property(terms, words => {
    fc.pre(words.length > 0)
    const { sorted, cursor } = openField(words)
    const walk = cursor()
    let last = ''
    for (const expected of sorted) {
      expect([walk.next(), walk.term(), walk.documents]).toEqual([
        true,
        expected,
        words.filter(word => word.replace('é', 'e') === expected).length,
      ])
      expect(expected.slice(0, walk.shared)).toBe(last.slice(0, walk.shared))
      expect(walk.shared === last.length || expected[walk.shared] !== last[walk.shared]).toBe(true)
      last = expected
    }
    expect(walk.next()).toBe(false)
  })
  fc.assert(property, { numRuns: 100 })
})

test('a cursor goes to the first term that is not before the wanted one, and on from there', () => {
  const property = fc.property(terms, fc.oneof(term, fc.constant('')), (words, wanted) => {
    fc.pre(words.length > 0)
    const { sorted, cursor } = openField(words)
    const walk = cursor()
    const found = walk.seek(wanted) ? [walk.term(), ...listRest(walk)] : []
    expect(found).toEqual(sorted.filter(other => other >= wanted))
  })
  fc.assert(property, { numRuns: 200 })
})

test('a cursor skips all terms with the same beginning', () => {
  // Enough terms that several blocks begin with the same units.
  const manyTerms = fc.uniqueArray(term, { minLength: 100, maxLength: 200 })
  const property = fc.property(manyTerms, fc.nat(), fc.integer({ min: 1, max: 4 }), (words, at, depth) => {
    const { sorted, cursor } = openField(words)
    const current = sorted[at % sorted.length] as string
    fc.pre(current.length >= depth)
    const walk = cursor()
    walk.seek(current)
    const rest = walk.skipPrefix(depth) ? [walk.term(), ...listRest(walk)] : []
    expect(rest).toEqual(sorted.filter(other => other > current && !other.startsWith(current.slice(0, depth))))
  })
  fc.assert(property, { numRuns: 100 })
})
