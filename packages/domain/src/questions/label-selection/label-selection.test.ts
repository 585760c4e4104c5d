import { describe, expect, test } from 'vitest'
import { accepts, isRefused } from '../../testing.ts'
import { labelSelection } from './label-selection.ts'

const options = (count: number) => Array.from({ length: count }, (_, i) => ({ value: `v${i}`, text: `V${i}` }))
const create = (given: object) => ({ type: 'label_selection', options: options(4), ...given })

describe('label selection question', () => {
  const settings = labelSelection.fillSettings({ type: 'label_selection', options: options(3) })
  const question = { name: 'topic', settings }

  test.each([
    { value: 'v0', ok: true },
    { value: 'v3', ok: false },
    { value: '', ok: false },
    { value: '__proto__', ok: false },
    { value: 1, ok: false },
    { value: ['v0'], ok: false },
    { value: null, ok: false },
  ])('value $value -> $ok', ({ value, ok }) => {
    expect(isRefused(() => labelSelection.checkValue(value, question))).toBe(!ok)
  })

  test.each([
    { why: 'two options', given: { options: options(2) }, ok: true },
    { why: 'one option', given: { options: options(1) }, ok: false },
    { why: 'a value of 200 characters', given: { options: [...options(1), { value: 'x'.repeat(200), text: 'X' }] }, ok: true },
    { why: 'a value of 201 characters', given: { options: [...options(1), { value: 'x'.repeat(201), text: 'X' }] }, ok: false },
    { why: 'an empty value', given: { options: [...options(1), { value: '', text: 'X' }] }, ok: false },
    { why: 'a text of 500 characters', given: { options: [...options(1), { value: 'x', text: 'x'.repeat(500) }] }, ok: true },
    { why: 'a text of 501 characters', given: { options: [...options(1), { value: 'x', text: 'x'.repeat(501) }] }, ok: false },
    { why: 'an empty description', given: { options: [...options(1), { value: 'x', text: 'X', description: '' }] }, ok: false },
    { why: 'a null description', given: { options: [...options(1), { value: 'x', text: 'X', description: null }] }, ok: true },
    { why: 'one value twice', given: { options: [...options(2), ...options(1)] }, ok: false },
    { why: 'three visible options', given: { visible_options: 3 }, ok: true },
    { why: 'two visible options', given: { visible_options: 2 }, ok: false },
    { why: 'four visible options of four', given: { visible_options: 4 }, ok: true },
    { why: 'five visible options of four', given: { visible_options: 5 }, ok: false },
  ])('settings with $why -> $ok', ({ given, ok }) => {
    expect(accepts(labelSelection.settingsCreate, create(given))).toBe(ok)
  })

  test('shows 20 of more than 20 options by default', () => {
    expect(labelSelection.fillSettings({ type: 'label_selection', options: options(21) }).visible_options).toBe(20)
    expect(labelSelection.fillSettings({ type: 'label_selection', options: options(20) }).visible_options).toBeNull()
  })

  test('a patch may hold options longer than those of a new question, but not fewer visible ones than three', () => {
    const long = [{ value: '', text: 'x'.repeat(501) }, ...options(2)]
    expect(accepts(labelSelection.settingsUpdate, { type: 'label_selection', options: long })).toBe(true)
    expect(accepts(labelSelection.settingsUpdate, { type: 'label_selection', options: null })).toBe(true)
    expect(accepts(labelSelection.settingsUpdate, { type: 'label_selection', visible_options: 2 })).toBe(false)
  })

  test('is searched by its value', () => {
    expect(labelSelection.toSearch('v0')).toEqual(['v0'])
  })
})
