import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countBits, listBits, newBits, setBit } from './bits.ts'
import { topMatches } from './top.ts'

test('the best matches come first, equal scores in the order of the ordinals', () => {
  const entry = fc.record({ isMatch: fc.boolean(), score: fc.constantFrom(0, 0.5, 1, 1.5, 2, -0) })
  const property = fc.property(fc.array(entry, { maxLength: 100 }), fc.nat({ max: 110 }), (entries, count) => {
    const matches = newBits(entries.length)
    entries.forEach(({ isMatch }, i) => {
      if (isMatch) setBit(matches, i)
    })
    const ordinals = entries.flatMap(({ isMatch }, i) => (isMatch ? [i] : []))
    expect([...listBits(matches)]).toEqual(ordinals)
    expect(countBits(matches)).toBe(ordinals.length)
    const scoreOf = (i: number) => entries[i]?.score ?? Number.NaN
    const expected = ordinals.toSorted((a, b) => scoreOf(b) - scoreOf(a) || a - b).slice(0, count)
    expect([
      ...topMatches(
        matches,
        Float64Array.from(entries, ({ score }) => score),
        count,
      ),
    ]).toEqual(expected)
  })
  fc.assert(property, { numRuns: 500 })
})
