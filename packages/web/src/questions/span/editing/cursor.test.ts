import { describe, expect, test } from 'vitest'
import { type Cursor, cursorOn, moveCursor, rangeOf } from './cursor.ts'

const text = 'Send 🚀 to Lübeck, now.'
const shown = (cursor: Cursor | null) => cursor && text.slice(rangeOf(cursor).start, rangeOf(cursor).end)

/** `>` and `<` move right and left by word, `)` and `(` by character; a preceding `+` extends the selection. */
function walk(keys: string, from = 0): Cursor | null {
  return [...keys.matchAll(/(\+?)([<>()])/g)].reduce<Cursor | null>(
    (cursor, [, plus, key = '']) =>
      moveCursor(text, cursor, {
        step: '>)'.includes(key) ? 1 : -1,
        isExtending: plus === '+',
        isCharacter: '()'.includes(key),
        from,
      }),
    null,
  )
}

describe('the cursor in a text', () => {
  test.each([
    ['>', 'Send'],
    ['>>', '🚀'],
    ['>>>>', 'Lübeck'],
    ['>>>>>>>>', 'now'],
    ['>><', 'Send'],
    ['>+>+>', 'Send 🚀 to'],
    ['>+>+>+<', 'Send 🚀'],
    ['>>+<', 'Send 🚀'],
    ['>>>+<+>+>', 'to Lübeck'],
    [')', 'S'],
    ['))', 'e'],
    [')+)+)', 'Sen'],
    ['>+(', 'Sen'],
    ['>+(+(+)', 'Sen'],
    ['>+)+)', 'Send 🚀'.slice(0, 7)],
  ])('%s is on "%s"', (keys, words) => {
    expect(shown(walk(keys))).toBe(words)
  })

  test('begins where the last click was', () => {
    expect(shown(walk('>', 8))).toBe('to')
    expect(shown(walk('<', 8))).toBe('🚀')
  })

  test('stays at the ends', () => {
    expect(shown(walk('<'))).toBeNull()
    expect(
      shown(moveCursor(text, cursorOn({ start: 0, end: 4 }), { step: -1, isExtending: false, isCharacter: false, from: 0 })),
    ).toBe('Send')
  })

  test('never has less than a character in it', () => {
    expect(shown(walk(')+(+('))).toBe('S')
  })
})
