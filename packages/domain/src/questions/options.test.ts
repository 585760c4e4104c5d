import { describe, expect, test } from 'vitest'
import { ShapeError } from '../errors.ts'
import { refusal } from '../testing.ts'
import {
  checkOption,
  checkOptionsMax,
  optionValues,
  patchOptions,
  uniqueValuesProblem,
  visibleOptionsOf,
  visibleOptionsProblem,
} from './options.ts'

const options = (count: number) => Array.from({ length: count }, (_, i) => ({ value: `v${i}`, text: `V${i}`, description: null }))

test('two options with the same value are a problem that names the value', () => {
  expect(uniqueValuesProblem({ options: [{ value: 'a' }, { value: 'b' }] })).toBeNull()
  expect(uniqueValuesProblem({ options: [{ value: 'a' }, { value: 'a' }] })).toContain('`a`')
})

test.each([
  { given: 3, ok: true },
  { given: 4, ok: true },
  { given: 5, ok: false },
  { given: null, ok: true },
  { given: undefined, ok: true },
])('visible options $given of 4 -> $ok', ({ given, ok }) => {
  expect(visibleOptionsProblem({ options: options(4), visible_options: given }) === null).toBe(ok)
})

test.each([
  { count: 20, given: undefined, visible: null },
  { count: 21, given: undefined, visible: 20 },
  { count: 21, given: null, visible: null },
  { count: 21, given: 3, visible: 3 },
])('with $count options and visible options given as $given, $visible are visible', ({ count, given, visible }) => {
  expect(visibleOptionsOf({ options: options(count), visible_options: given })).toBe(visible)
})

test('more options than the server allows are a problem of shape at the options', () => {
  expect(() => checkOptionsMax({ type: 'span', options: options(3) }, 3)).not.toThrow()
  expect(() => checkOptionsMax({ type: 'span', options: null }, 3)).not.toThrow()
  try {
    checkOptionsMax({ type: 'span', options: options(4) }, 3)
    expect.unreachable()
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    expect(error.problems).toMatchObject([{ type: 'too_long', loc: ['body', 'settings', 'span', 'options'] }])
  }
})

describe('a patch of options', () => {
  const stored = { options: options(3), visible_options: 3 }
  const reworded = [
    { value: 'v2', text: 'Two' },
    { value: 'v0', text: 'Zero', description: 'none' },
    { value: 'v1', text: 'One' },
  ]

  test('may reword and reorder them; a description left out becomes null', () => {
    expect(patchOptions(stored, { options: reworded }).options).toEqual([
      { value: 'v2', text: 'Two', description: null },
      { value: 'v0', text: 'Zero', description: 'none' },
      { value: 'v1', text: 'One', description: null },
    ])
  })

  test('leaves alone what is not given, and takes null options as not given', () => {
    expect(patchOptions(stored, {})).toEqual(stored)
    expect(patchOptions(stored, { options: null })).toEqual(stored)
  })

  test('clears visible options with null', () => {
    expect(patchOptions(stored, { visible_options: null }).visible_options).toBeNull()
  })

  test.each([
    { why: 'another number of options', patch: { options: reworded.slice(1), visible_options: 9 }, says: 'number of options' },
    {
      why: 'another value',
      patch: { options: [...reworded.slice(1), { value: 'x', text: 'X' }], visible_options: 9 },
      says: '`v2`',
    },
    { why: 'one value twice', patch: { options: [...reworded.slice(1), { value: 'v1', text: 'X' }] }, says: '`v2`' },
    { why: 'more visible options than there are', patch: { options: reworded, visible_options: 4 }, says: 'visible_options' },
  ])('refuses $why', ({ patch, says }) => {
    expect(refusal(() => patchOptions(stored, patch))?.message).toContain(says)
  })
})

test('the set of option values is made once for a settings object', () => {
  const settings = { options: options(500) }
  expect(optionValues(settings)).toBe(optionValues(settings))
})

test('a value that is not an option is refused, naming the value, the question and the options', () => {
  const question = { name: 'mood', settings: { options: [{ value: 'good' }, { value: 'bad' }] } }
  expect(refusal(() => checkOption('good', question))).toBeNull()
  expect(refusal(() => checkOption('constructor', question))?.message).toBe(
    '`constructor` is not an option of question `mood`. Options: good, bad',
  )
})

test('a message shows at most 100 characters of a wrong value', () => {
  const question = { name: 'mood', settings: { options: [{ value: 'good' }] } }
  expect(refusal(() => checkOption('x'.repeat(5000), question))?.message.length).toBeLessThan(200)
})

test.each([
  { one: 'café', other: 'café'.normalize('NFD'), what: 'their Unicode form' },
  { one: 'yes', other: 'yes\u200b', what: 'a zero-width space' },
  { one: 'yes', other: '\u202eyes', what: 'a change of direction' },
])('two options that differ in $what only are a problem', ({ one, other }) => {
  expect(uniqueValuesProblem({ options: [{ value: one }, { value: other }] })).toContain('look different')
})

test('options may contain joiners, and may differ only in case or spaces', () => {
  const values = ['می‌خواهم', 'میخواهم', '👩‍👩‍👧', '👩👩👧', 'Yes', 'yes', 'yes ']
  expect(uniqueValuesProblem({ options: values.map(value => ({ value })) })).toBeNull()
})
