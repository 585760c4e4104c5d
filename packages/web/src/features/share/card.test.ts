import { expect, test } from 'vitest'
import { readCard } from './card.ts'

test.each(['letters', 'Bücher über Öl', '良い 👍🏽', '>>>???', ''])('a card of %s is read as it was written', dataset => {
  const card = { dataset, submitted: 84, completed: 1_204, total: 3_000, date: '2026-11-15' }
  const payload = Buffer.from(JSON.stringify(card)).toString('base64url')
  expect(readCard(`${payload}.signature`)).toEqual(card)
})
