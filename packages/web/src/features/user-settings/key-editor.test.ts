import { expect, test } from 'vitest'
import { defaultKeysOf } from '../../shortcuts/defaults.ts'
import { keysIn, listConflicts, listHidden, readKey, withBackspace, withKeys } from './key-editor.ts'

test('a command has its own keys, or the default ones', () => {
  const keysOf = keysIn({ 'annotate.flag': ['y'] }, defaultKeysOf)
  expect(keysOf('annotate.flag')).toEqual(['y'])
  expect(keysOf('annotate.comment')).toEqual(['c'])
})

test('keys equal to the default are not stored', () => {
  const changed = withKeys({}, 'annotate.flag', ['b', 'y'], defaultKeysOf)
  expect(changed).toEqual({ 'annotate.flag': ['b', 'y'] })
  expect(withKeys(changed, 'annotate.flag', ['b'], defaultKeysOf)).toEqual({})
})

test('a command may lose all its keys', () => {
  expect(withKeys({}, 'annotate.flag', [], defaultKeysOf)).toEqual({ 'annotate.flag': [] })
})

test('a conflict is reported for both commands', () => {
  expect(listConflicts(defaultKeysOf)).toEqual([])
  expect(listConflicts(keysIn({ 'annotate.flag': ['c'] }, defaultKeysOf))).toEqual([
    { id: 'annotate.flag', chord: 'c', others: ['annotate.comment'] },
    { id: 'annotate.comment', chord: 'c', others: ['annotate.flag'] },
  ])
})

test('a key that a part takes from the page is reported for the part', () => {
  expect(listHidden(defaultKeysOf)).toEqual([])
  expect(listHidden(keysIn({ 'chat.nextTurn': ['n'] }, defaultKeysOf))).toEqual([
    { id: 'chat.nextTurn', chord: 'n', others: ['annotate.nextHit'] },
  ])
})

test.each([
  ['annotate.flag', 'y', { chord: 'y' }],
  ['annotate.flag', 'Mod+w', { problem: 'reserved' }],
  ['annotate.flag', '4', { problem: 'reserved' }],
  ['question.leave', 'q', { problem: 'typing' }],
  ['question.pick', 'Shift+4', { chord: 'Shift+0-9' }],
  ['question.pick', 'Mod+4', { problem: 'reserved' }],
  ['question.pick', 'y', { problem: 'digit' }],
  ['question.find', 'Enter', { problem: 'letter' }],
] as const)('%s, pressed %s: %j', (id, pressed, expected) => expect(readKey(id, pressed)).toEqual(expected))

test.each([
  [{}, true, {}],
  [{ 'annotate.discard': ['d'] }, true, { 'annotate.discard': ['d', 'Backspace'] }],
  [{ 'annotate.discard': ['d', 'Backspace'] }, true, { 'annotate.discard': ['d', 'Backspace'] }],
  [{ 'annotate.discard': ['Backspace', 'd'] }, false, { 'annotate.discard': ['d'] }],
])('keys %j with Backspace %s', (bindings, isOn, expected) => expect(withBackspace(bindings, isOn)).toEqual(expected))
