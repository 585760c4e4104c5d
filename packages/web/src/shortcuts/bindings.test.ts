import { describe, expect, test } from 'vitest'
import { canMeet, conflictsWith, fromFile, isPattern, isReserved, toFile } from './bindings.ts'
import { isSingleLetter } from './chords.ts'
import { COMMAND_IDS, COMMANDS, type CommandId, defaultKeysOf, define } from './defaults.ts'

describe('the default keys', () => {
  test.each(COMMAND_IDS)('%s shares no key with a command that can be on screen with it', id => {
    for (const chord of defaultKeysOf(id)) expect(conflictsWith(id, chord, defaultKeysOf)).toEqual([])
  })

  test('leave the browser its own, but for digits', () => {
    const taken = COMMAND_IDS.flatMap(id => COMMANDS[id].keys.filter(key => isReserved(key)))
    expect(taken).toEqual(['0'])
  })

  test('work inside texts only with a modifier', () => {
    const inTexts = COMMAND_IDS.map(id => define(id, () => {})).filter(({ inText }) => inText)
    expect(inTexts.flatMap(({ keys }) => keys.filter(isSingleLetter))).toEqual([])
  })
})

describe('a key', () => {
  test.each([
    ['x', false],
    ['Mod+Enter', false],
    ['Mod+w', true],
    ['Tab', true],
    ['7', true],
    ['Shift+7', true],
    ['F2', false],
    ['Alt+ArrowLeft', true],
  ])('%s is reserved: %s', (chord, reserved) => expect(isReserved(chord)).toBe(reserved))

  test.each([
    ['Shift+0-9', true],
    ['a-z', true],
    ['0', false],
    ['-', false],
  ])('%s stands for many: %s', (chord, pattern) => expect(isPattern(chord)).toBe(pattern))
})

test.each([
  ['annotate.comment', 'home.continue', false],
  ['annotate.comment', 'bulk.tick', true],
  ['shell.palette', 'home.continue', true],
  ['image.fit', 'annotate.next', true],
])('%s and %s can meet: %s', (one, other, meet) => expect(canMeet(one, other)).toBe(meet))

test('a conflict names the commands that have the key already', () => {
  const keysOf = (id: CommandId) => (id === 'annotate.flag' ? ['x'] : defaultKeysOf(id))
  expect(conflictsWith('annotate.flag', 'x', keysOf)).toEqual(['annotate.discard'])
  expect(conflictsWith('home.continue', 'x', keysOf)).toEqual([])
})

describe('a file of keys', () => {
  const bindings = {
    'annotate.flag': ['y', 'Mod+Shift+f'],
    'annotate.recent': ['h'],
    'image.fit': ['0', 'h'],
    'annotate.sort': [],
  }

  test('comes back as it was written', () => expect(fromFile(toFile(bindings))).toEqual(bindings))

  test.each(['', '[]', '{"format":"other","bindings":{}}', '{"format":"postil-keys"}', 'null'])('%j is none', text => {
    expect(fromFile(text)).toBeNull()
  })

  test('loses what is not known, no key or reserved', () => {
    const strange = {
      'annotate.flag': ['Mod+w'],
      'annotate.sort': 'o',
      'no.such': ['x'],
      'annotate.skip': [7],
      'annotate.undo': ['a b'],
    }
    expect(fromFile(JSON.stringify({ format: 'postil-keys', bindings: { ...strange, 'annotate.clear': ['l'] } }))).toEqual({
      'annotate.clear': ['l'],
    })
  })
})
