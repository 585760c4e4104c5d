import { describe, expect, test } from 'vitest'
import { skeletonOf } from './confusables.ts'
import { findNameProblem, toNewName, toVisibleName } from './names.ts'

describe('a new name', () => {
  test.each([
    ['owner', null],
    ['Lena B', null],
    ['Åsa', null],
    ['山田 太郎', null],
    ['נועה', null],
    ['🦀', null],
    ['owner ', 'outer_space'],
    ['\u3000owner', 'outer_space'],
    ['ow\u200bner', 'invisible'],
    ['ow\u200dner', 'invisible'],
    ['\u202eowner', 'invisible'],
    ['ow\u0000ner', 'invisible'],
    ['ow\nner', 'invisible'],
    ['ow\u2028ner', 'invisible'],
    ['ow\ue000ner', 'invisible'],
    ['ow\ud800ner', 'invisible'],
    ['owner\u3164', 'invisible'],
    ['owner\u2800', 'invisible'],
    ['\ufe0f', 'nothing_visible'],
    ['\u034f', 'nothing_visible'],
  ])('%j -> %s', (name, kind) => {
    expect(findNameProblem(name)?.kind ?? null).toBe(kind)
  })

  test('is stored in NFC', () => {
    expect(toNewName('Å'.normalize('NFD'), [])).toBe('Å'.normalize('NFC'))
  })

  test('is refused with the character and its place', () => {
    expect(() => toNewName('🦀ow\u200bner', ['username'])).toThrow('the character at position 4 is U+200B')
  })

  test('of a program loses what people could not see', () => {
    expect(toVisibleName(' ow\u200bner\u202e ')).toBe('owner')
    expect(toVisibleName(' \u200b\ufe0f ')).toBeNull()
  })
})

describe('names look alike', () => {
  test.each([
    ['owner', 'оwnеr'],
    ['owner', 'owner '],
    ['owner', 'ow\u200bner'],
    ['owner', '𝐨𝐰𝐧𝐞𝐫'],
    ['owner', 'ow\ufe0fner'],
    ['lena', '1ena'],
    ['modern', 'rnodern'],
    ['Lena B', 'Lena  B'],
    ['Lena B', 'Lena\u00a0B'],
    ['Åsa', 'Åsa'.normalize('NFD')],
    ['Ωmega', '\u2126mega'],
  ])('%j and %j', (one, other) => {
    expect(skeletonOf(other)).toBe(skeletonOf(one))
  })

  test.each([
    ['owner', 'Owner'],
    ['owner', 'owners'],
    ['lena-1', 'lena-2'],
    ['Asa', 'Åsa'],
    ['山田', '山由'],
    ['team a', 'team-a'],
  ])('not %j and %j', (one, other) => {
    expect(skeletonOf(other)).not.toBe(skeletonOf(one))
  })
})
