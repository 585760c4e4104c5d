import { expect, test } from 'vitest'
import { directionOf } from './direction.ts'

test.each([
  { text: '', direction: 'ltr' },
  { text: '12:30 !', direction: 'ltr' },
  { text: 'Hello, שלום', direction: 'ltr' },
  { text: 'OK: שלום עולם, מה שלומך', direction: 'rtl' },
  { text: 'مرحبا بالعالم', direction: 'rtl' },
  { text: '東京', direction: 'ltr' },
])('"$text" runs $direction', ({ text, direction }) => {
  expect(directionOf(text)).toBe(direction)
})
