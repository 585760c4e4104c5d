import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { chordOf, matches, toAriaKeys, toPattern } from './chords.ts'

beforeAll(() => void vi.stubGlobal('navigator', { platform: 'Linux x86_64' }))
afterAll(() => void vi.unstubAllGlobals())

const press = (key: string, code: string, held: { ctrl?: boolean; alt?: boolean; shift?: boolean; altGr?: boolean } = {}) =>
  chordOf({
    key,
    code,
    ctrlKey: held.ctrl ?? false,
    altKey: held.alt ?? false,
    shiftKey: held.shift ?? false,
    metaKey: false,
    getModifierState: (name: string) => name === 'AltGraph' && (held.altGr ?? false),
  } as KeyboardEvent)

describe('the chord of a key press', () => {
  test.each<[string, Parameters<typeof press>, string | null]>([
    ['a letter', ['x', 'KeyX'], 'x'],
    ['a capital letter', ['N', 'KeyN', { shift: true }], 'Shift+n'],
    ['a digit', ['1', 'Digit1'], '1'],
    ['a digit of a French keyboard', ['&', 'Digit1'], '1'],
    ['a digit of the number pad', ['7', 'Numpad7'], '7'],
    ['a digit with Shift', ['!', 'Digit1', { shift: true }], 'Shift+1'],
    ['a sign, whatever it takes to type it', ['?', 'Slash', { shift: true }], '?'],
    ['a bracket of a German keyboard', ['[', 'Digit8', { altGr: true }], '['],
    ['the same where AltGr is Ctrl and Alt', ['[', 'Digit8', { altGr: true, ctrl: true, alt: true }], '['],
    ['with Ctrl', ['k', 'KeyK', { ctrl: true }], 'Mod+k'],
    ['space', [' ', 'Space'], 'Space'],
    ['a modifier alone', ['Shift', 'ShiftLeft', { shift: true }], null],
  ])('%s', (_, event, expected) => {
    expect(press(...event)).toBe(expected)
  })
})

test.each([
  ['0-9', '7', true],
  ['0-9', 'Shift+7', false],
  ['Shift+0-9', 'Shift+7', true],
  ['Shift+0-9', '7', false],
  ['Shift+a-z', 'Shift+t', true],
  ['Shift+a-z', 't', false],
  ['Alt+Shift+0-9', 'Alt+Shift+7', true],
  ['0-9', 'F7', false],
  ['a-z', 'ü', true],
  ['a-z', '7', false],
  ['Mod+k', 'Mod+k', true],
])('%s stands for %s: %s', (binding, chord, expected) => {
  expect(matches(binding, chord)).toBe(expected)
})

test.each<[string, '0-9' | 'a-z', string | null]>([
  ['3', '0-9', '0-9'],
  ['Shift+3', '0-9', 'Shift+0-9'],
  ['F3', '0-9', null],
  ['x', '0-9', null],
  ['Alt+Shift+x', 'a-z', 'Alt+Shift+a-z'],
  ['Enter', 'a-z', null],
])('%s is one of %s: %s', (chord, kind, pattern) => expect(toPattern(chord, kind)).toBe(pattern))

test.each([
  ['Mod+Enter', 'Control+Enter'],
  ['Alt+ArrowUp', 'Alt+ArrowUp'],
])('%s is %s for a screen reader', (chord, expected) => expect(toAriaKeys(chord)).toBe(expected))
