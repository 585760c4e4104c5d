import { describe, expect, test } from 'vitest'
import { CARD_LENGTH_MAX, toShareCard } from './share.ts'

const CARD = { dataset: 'letters', submitted: 2, completed: 5, total: 9, date: '2026-11-15' }

test.each([
  { submitted: 0, ok: false },
  { submitted: 1, ok: false },
  { submitted: 2, ok: true },
  { submitted: 1_000_000, ok: true },
])('a card of $submitted submitted responses -> $ok', ({ submitted, ok }) => {
  const make = () => toShareCard({ ...CARD, submitted })
  if (ok) expect(make()).toEqual({ ...CARD, submitted })
  else expect(make).toThrow(`at least 2 submitted responses of yours; there are ${submitted}`)
})

describe('the name on a card', () => {
  test.each([
    ['stays as it is', 'letters of 1905', 'letters of 1905'],
    ['is one line', ' letters\n\tof  1905 ', 'letters of 1905'],
    ['holds markup as text', '</svg><script>', '</svg><script>'],
    ['loses what is no text', 'a\u0000b\u001fc\ufffed\uffffe\ud800f', 'abcdef'],
    ['keeps emoji whole', '👍🏽 良い', '👍🏽 良い'],
    ['may be 80 characters', 'x'.repeat(80), 'x'.repeat(80)],
    ['is cut after that', 'x'.repeat(81), `${'x'.repeat(79)}…`],
    ['is cut between characters', '👍'.repeat(81), `${'👍'.repeat(79)}…`],
  ])('%s', (_, dataset, shown) => {
    expect(toShareCard({ ...CARD, dataset }).dataset).toBe(shown)
  })

  test.each(['👍', '"', '\\', '良'])('of 200 %s leaves room for the numbers and the signature', character => {
    const count = Number.MAX_SAFE_INTEGER
    const card = toShareCard({ ...CARD, dataset: character.repeat(200), submitted: count, completed: count, total: count })
    const bytes = new TextEncoder().encode(JSON.stringify(card)).length
    expect(Math.ceil((bytes * 4) / 3) + 1 + 43).toBeLessThan(CARD_LENGTH_MAX)
  })
})
