import { expect, test } from 'vitest'
import { duplicateLetters, shadowedCommands } from './letter-conflicts.ts'

test.each([
  { letters: {}, doubled: [] },
  { letters: { a: 'x', b: 'y' }, doubled: [] },
  { letters: { a: 'x', b: 'X', c: 'y' }, doubled: ['x'] },
  { letters: { a: 'z', b: 'z', c: 'z', d: 'k', e: 'k' }, doubled: ['k', 'z'] },
])('$letters -> $doubled', ({ letters, doubled }) => {
  expect(duplicateLetters(letters)).toEqual(doubled)
})

test.each([
  { letters: { a: 'w' }, shadows: [] },
  { letters: { a: 'X' }, shadows: [{ letter: 'x', command: 'annotate.discard' }] },
  // Keys of other pages do not conflict.
  { letters: { a: 'j' }, shadows: [] },
  {
    letters: { a: 'u', b: 'c' },
    shadows: [
      { letter: 'c', command: 'annotate.comment' },
      { letter: 'u', command: 'annotate.takeSuggestion' },
    ],
  },
])('$letters shadow $shadows', ({ letters, shadows }) => {
  expect(shadowedCommands(letters)).toEqual(shadows)
})
