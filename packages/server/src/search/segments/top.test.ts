import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Bitmap } from '../bitmap.ts'
import { topMatches } from './top.ts'

// Enough matches that a small page uses the heap and a large one the sort.
test.each([100, 5_000])('the best of %i matches come first, equal scores in the order of the ordinals', size => {
  const entry = fc.record({ isMatch: fc.boolean(), score: fc.constantFrom(0, 0.5, 1, 1.5, 2, -0) })
  const entries = fc.array(entry, { minLength: size / 2, maxLength: size, size: 'max' })
  const property = fc.property(entries, fc.nat({ max: 110 }), (listed, count) => {
    const matches = new Bitmap()
    const ordinals = listed.flatMap(({ isMatch }, i) => (isMatch ? [i] : []))
    matches.fill(ordinals)
    const scoreOf = (i: number) => listed[i]?.score ?? Number.NaN
    const expected = ordinals.toSorted((a, b) => scoreOf(b) - scoreOf(a) || a - b).slice(0, count)
    const scores = Float64Array.from(listed, ({ score }) => score)
    expect([...topMatches(matches, matches.count(), scores, count)]).toEqual(expected)
  })
  fc.assert(property, { numRuns: 50_000 / size })
})
