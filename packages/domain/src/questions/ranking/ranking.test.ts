import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseStatus } from '../../responses.ts'
import type { Json } from '../../schema.ts'
import { accepts, refusal } from '../../testing.ts'
import { ranking } from './ranking.ts'

const options = (count: number) => Array.from({ length: count }, (_, i) => ({ value: `v${i}`, text: `V${i}` }))

describe('ranking question', () => {
  const question = { name: 'order', settings: ranking.fillSettings({ type: 'ranking', options: options(3) }) }
  const check = (value: Json, status: ResponseStatus | null) =>
    refusal(() => ranking.checkValue(value, question, { fields: {}, status }))?.message ?? null

  const ranked = (...ranks: (number | null)[]) => ranks.map((rank, i) => ({ value: `v${i}`, rank }))

  test.each([
    { why: 'a full ranking', value: ranked(1, 2, 3) },
    { why: 'ties', value: ranked(1, 1, 1) },
    { why: 'gaps', value: ranked(1, 3, 3) },
    { why: 'any order', value: ranked(3, 1, 2).reverse() },
  ])('accepts $why in a submitted response', ({ value }) => {
    expect(check(value, 'submitted')).toBeNull()
  })

  test.each([
    { why: 'a missing option', value: ranked(1, 2), says: 'all 3 options' },
    { why: 'no option', value: [], says: 'all 3 options' },
    { why: 'rank 0', value: ranked(0, 1, 2), says: '`0` is not a rank' },
    { why: 'rank 4 of 3', value: ranked(4, 1, 2), says: '`4` is not a rank' },
    { why: 'a null rank', value: ranked(null, 1, 2), says: '`null` is not a rank' },
    { why: 'no rank', value: [{ value: 'v0' }, ...ranked(1, 2, 3).slice(1)], says: '`null` is not a rank' },
  ])('refuses $why in a submitted response, but not in a draft or a suggestion', ({ value, says }) => {
    expect(check(value, 'submitted')).toContain(says)
    expect(check(value, 'draft')).toBeNull()
    expect(check(value, 'discarded')).toBeNull()
    expect(check(value, null)).toBeNull()
  })

  test.each([
    { why: 'plain texts', value: ['v0', 'v1'] },
    { why: 'a text', value: 'v0' },
    { why: 'nulls', value: [null] },
    { why: 'an unknown option', value: [{ value: 'x', rank: 1 }] },
    { why: 'an option twice', value: [...ranked(1), ...ranked(2)] },
  ])('refuses $why whatever the status', ({ value }) => {
    for (const status of ['submitted', 'draft', 'discarded', null] as const) expect(check(value, status)).not.toBeNull()
  })

  test('a submitted ranking is accepted exactly when every option has one rank in range', () => {
    const entry = fc.record({ value: fc.constantFrom('v0', 'v1', 'v2', 'x'), rank: fc.option(fc.integer({ min: -1, max: 5 })) })
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), entries => {
        const values = new Set(entries.map(({ value }) => value))
        const complete = entries.length === 3 && values.size === 3 && !values.has('x')
        const inRange = entries.every(({ rank }) => rank !== null && rank >= 1 && rank <= 3)
        expect(check(entries, 'submitted') === null).toBe(complete && inRange)
      }),
    )
  })

  test.each([
    { count: 1, ok: false },
    { count: 2, ok: true },
    { count: 50, ok: true },
    { count: 51, ok: false },
  ])('$count options -> $ok', ({ count, ok }) => {
    expect(accepts(ranking.settingsCreate, { type: 'ranking', options: options(count) })).toBe(ok)
  })

  test('keeps its settings whatever a patch says', () => {
    expect(ranking.patchSettings(question.settings, { type: 'ranking' })).toEqual(question.settings)
    expect(refusal(() => ranking.patchSettings(question.settings, { type: 'text' }))).not.toBeNull()
  })

  test.each<{ ranks: (number | null)[]; first: string[] }>([
    { ranks: [2, 1, 3], first: ['v1'] },
    { ranks: [1, 1, 2], first: ['v0', 'v1'] },
    { ranks: [3, 3, 2], first: ['v2'] },
    { ranks: [null, 2, null], first: ['v1'] },
    { ranks: [null, null, null], first: [] },
    { ranks: [], first: [] },
  ])('is found by what is ranked first: $ranks -> $first', ({ ranks, first }) => {
    expect(ranking.toSearch(ranks.map((rank, i) => ({ value: `v${i}`, rank })))).toEqual(first)
  })
})
