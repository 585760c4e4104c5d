import { expect, test } from 'vitest'
import { doubledLetters, shadowedCommands } from './letter-conflicts.ts'

test.each([
  { letters: {}, doubled: [] },
  { letters: { a: 'x', b: 'y' }, doubled: [] },
  { letters: { a: 'x', b: 'X', c: 'y' }, doubled: ['x'] },
  { letters: { a: 'z', b: 'z', c: 'z', d: 'k', e: 'k' }, doubled: ['k', 'z'] },
])('$letters -> $doubled', ({ letters, doubled }) => {
  expect(doubledLetters(letters)).toEqual(doubled)
})

test.each([
  { letters: { a: 'w' }, shadows: [] },
  { letters: { a: 'X' }, shadows: [{ letter: 'x', command: 'annotate.discard' }] },
  // Keys of other pages stand in nobody's way.
  { letters: { a: 'j' }, shadows: [] },
  {
    letters: { a: 'u', b: 'c' },
    shadows: [
      { letter: 'c', command: 'annotate.comment' },
      { letter: 'u', command: 'annotate.takeSuggestion' },
    ],
  },
])('$letters stand in the way of $shadows', ({ letters, shadows }) => {
  expect(shadowedCommands(letters)).toEqual(shadows)
})
