import { describe, expect, test } from 'vitest'
import {
  conflictingCommands,
  disturbsTyping,
  fromFile,
  isReserved,
  keyPatternOf,
  overriddenCommands,
  toFile,
} from './bindings.ts'
import { COMMAND_IDS, COMMANDS, type CommandId, defaultKeysOf } from './defaults.ts'
import { canConflict } from './places.ts'

describe('the default keys', () => {
  test.each(COMMAND_IDS)('%s shares no key with a command that can be on screen with it', id => {
    for (const chord of defaultKeysOf(id)) expect(conflictingCommands(id, chord, defaultKeysOf)).toEqual([])
  })

  test('leave the browser its own, but for digits, Tab between options and the arrows of single characters', () => {
    const taken = COMMAND_IDS.flatMap(id => COMMANDS[id].keys.filter(key => isReserved(key)))
    expect(taken.toSorted()).toEqual(['0', 'Alt+ArrowLeft', 'Alt+ArrowRight', 'Shift+Tab', 'Tab', 'Tab'])
  })

  test('leave typing alone', () => {
    expect(COMMAND_IDS.filter(id => COMMANDS[id].keys.some(key => disturbsTyping(id, key)))).toEqual([])
  })

  test('stand under a heading', () => expect(COMMAND_IDS.filter(id => COMMANDS[id].group.length === 0)).toEqual([]))
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
    ['ArrowDown', false],
    ['Shift+0-9', false],
    ['Mod+0-9', true],
  ])('%s is reserved: %s', (chord, reserved) => expect(isReserved(chord)).toBe(reserved))

  test.each<[CommandId, string | null]>([
    ['question.pick', '0-9'],
    ['annotate.question', '0-9'],
    ['question.find', 'a-z'],
    ['image.fit', null],
    ['annotate.recent', null],
  ])('%s stands for many: %s', (id, kind) => expect(keyPatternOf(id)).toBe(kind))

  test.each<[CommandId, string, boolean]>([
    ['question.leave', 'q', true],
    ['question.leave', 'Backspace', true],
    ['question.leave', 'Shift+Q', true],
    ['question.leave', 'Mod+q', false],
    ['annotate.draft', 'F2', false],
    ['annotate.flag', 'y', false],
  ])('%s at %s disturbs somebody who types: %s', (id, chord, disturbs) => expect(disturbsTyping(id, chord)).toBe(disturbs))
})

test.each<[CommandId, CommandId, boolean]>([
  ['annotate.comment', 'home.continue', false],
  ['annotate.comment', 'bulk.tick', false],
  ['annotate.undo', 'bulk.tick', true],
  ['shell.palette', 'home.continue', true],
  ['image.fit', 'annotate.next', true],
  ['question.rankUp', 'annotate.scrollUp', false],
  ['question.rankUp', 'question.nextOption', true],
  ['question.rankUp', 'question.toggle', false],
  ['question.edit', 'annotate.submit', true],
  ['question.edit', 'question.find', false],
  ['question.leave', 'annotate.submitFromText', true],
  ['question.leave', 'annotate.submit', false],
  ['settings.update', 'annotate.draft', false],
])('%s and %s can meet: %s', (one, other, meet) => expect(canConflict(COMMANDS[one], COMMANDS[other])).toBe(meet))

test('a conflict names the commands that have the key already', () => {
  const keysOf = (id: CommandId) => (id === 'annotate.flag' ? ['x'] : defaultKeysOf(id))
  expect(conflictingCommands('annotate.flag', 'x', keysOf)).toEqual(['annotate.discard'])
  expect(conflictingCommands('home.continue', 'x', keysOf)).toEqual([])
})

test('letters that find labels are in the way of a letter for the option in hand', () => {
  const keysOf = (id: CommandId) => (id === 'question.toggle' ? ['t'] : defaultKeysOf(id))
  expect(conflictingCommands('question.toggle', 't', keysOf)).toEqual(['question.find'])
  expect(conflictingCommands('span.all', 'a', keysOf)).toEqual([])
})

test('a key of a part in hand hides the same key of the page, which is told unless it has always been so', () => {
  const keysOf = (id: CommandId) => (id === 'question.unrank' ? ['x', 'Delete'] : defaultKeysOf(id))
  expect(conflictingCommands('question.unrank', 'x', keysOf)).toEqual([])
  expect(overriddenCommands('question.unrank', 'x', keysOf)).toEqual(['annotate.discard'])
  expect(overriddenCommands('question.rankUp', 'Alt+ArrowUp', keysOf)).toEqual([])
  expect(overriddenCommands('annotate.discard', 'x', keysOf)).toEqual([])
})

describe('a file of keys', () => {
  const bindings = {
    'annotate.flag': ['y', 'Mod+Shift+f'],
    'annotate.recent': ['h'],
    'image.fit': ['0', 'h'],
    'annotate.sort': [],
    'question.rankUp': ['w'],
    'question.pick': ['Shift+0-9'],
    'annotate.question': ['0-9'],
    'span.previous': ['ArrowUp'],
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
      'question.leave': ['q'],
      'question.pick': ['x'],
      'annotate.next': ['Shift+0-9'],
    }
    expect(fromFile(JSON.stringify({ format: 'postil-keys', bindings: { ...strange, 'annotate.clear': ['l'] } }))).toEqual({
      'annotate.clear': ['l'],
    })
  })
})
