import { processorMs } from '@postil/domain/testing/processor-time'
import { describe, expect, test } from 'vitest'
import { findIn, fold, match, segmentsOf } from './fuzzy.ts'

const marked = (text: string, query: string) => {
  const folded = fold(text)
  const found = match(folded, fold(query).text)
  return (
    found &&
    segmentsOf(text, folded, found.places)
      .map(({ text, isHit }) => (isHit ? `[${text}]` : text))
      .join('')
  )
}

describe('finding labels', () => {
  test.each([
    { text: 'Delivery', query: 'del', marked: '[Del]ivery' },
    { text: 'Missing item', query: 'item', marked: 'Missing [item]' },
    { text: 'Livraison différée', query: 'differee', marked: 'Livraison [différée]' },
    { text: 'Über', query: 'uber', marked: '[Über]' },
    { text: 'uber', query: 'ÜBER', marked: '[uber]' },
    // Decomposed characters: letter and combining accent.
    { text: 'Re\u0301sume\u0301', query: 'resume', marked: '[Re\u0301sume\u0301]' },
    { text: 'Missing item', query: 'mi it', marked: '[Mi]ssing [it]em' },
    { text: 'Missing item', query: 'mitem', marked: '[Mi]ssing i[tem]' },
    { text: 'Billing', query: 'blg', marked: '[B]i[l]lin[g]' },
    { text: 'Billing', query: 'gb', marked: null },
    { text: 'İstanbul', query: 'istanbul', marked: '[İstanbul]' },
    { text: '日本語', query: '本', marked: '日[本]語' },
    { text: '🚀 rocket', query: 'rock', marked: '🚀 [rock]et' },
    { text: 'a-b', query: '', marked: 'a-b' },
    { text: '', query: 'a', marked: null },
  ])('"$query" in "$text" -> $marked', ({ text, query, marked: expected }) => {
    expect(marked(text, query)).toBe(expected)
  })

  test('the nearest comes first: whole, beginning, word, inside, scattered', () => {
    const items = ['s-e-n-d', 'resend', 'To send', 'Send back', 'send', 'other'].map(text => ({ text, folded: fold(text) }))
    expect(findIn(items, ' Send').map(({ item }) => item.text)).toEqual(['send', 'Send back', 'To send', 'resend', 's-e-n-d'])
  })

  test('a thousand labels are searched within a frame', async () => {
    const items = Array.from({ length: 1000 }, (_, index) => ({ folded: fold(`Label number ${index} of a long list`) }))
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < 10; i++) least = Math.min(least, await processorMs(() => findIn(items, 'nmb9')))
    expect(least).toBeLessThan(16)
  })
})
