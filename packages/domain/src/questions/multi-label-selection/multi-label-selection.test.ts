import { describe, expect, test } from 'vitest'
import { accepts, isRefused, refusal } from '../../testing.ts'
import { multiLabelSelection } from './multi-label-selection.ts'

const options = [
  { value: 'a', text: 'A' },
  { value: 'b', text: 'B' },
  { value: 'c', text: 'C' },
]

describe('multi-label selection question', () => {
  const settings = multiLabelSelection.fillSettings({ type: 'multi_label_selection', options })
  const question = { name: 'topics', settings }

  test.each([
    { value: ['a'], says: null },
    { value: ['c', 'a', 'b'], says: null },
    { value: [], says: 'at least one' },
    { value: 'a', says: 'a list of options' },
    { value: ['a', 'a'], says: 'twice' },
    { value: ['a', 'x'], says: 'not an option' },
    { value: ['x', 'x'], says: 'twice' },
    { value: [1], says: 'not an option' },
    { value: [{ value: 'a', rank: 1 }], says: 'not an option' },
  ])('value $value is refused with: $says', ({ value, says }) => {
    const message = refusal(() => multiLabelSelection.checkValue(value, question))?.message ?? null
    if (says === null) expect(message).toBeNull()
    else expect(message).toContain(says)
  })

  test.each([
    { order: 'natural', ok: true },
    { order: 'suggestion', ok: true },
    { order: 'random', ok: false },
  ])('options order $order -> $ok', ({ order, ok }) => {
    expect(accepts(multiLabelSelection.settingsCreate, { type: 'multi_label_selection', options, options_order: order })).toBe(ok)
  })

  test('has its options in natural order by default', () => {
    expect(settings.options_order).toBe('natural')
  })

  test('lets a patch change the order and keeps it otherwise', () => {
    const patched = multiLabelSelection.patchSettings(settings, { type: 'multi_label_selection', options_order: 'suggestion' })
    expect(patched.options_order).toBe('suggestion')
    expect(multiLabelSelection.patchSettings(patched, { type: 'multi_label_selection' })).toEqual(patched)
  })

  test('understands the old names of its settings', () => {
    expect(multiLabelSelection.settingsCreate).toMatchObject({
      'x-alias': { visible_labels: 'visible_options', labels_order: 'options_order' },
    })
  })

  test('refuses a patch to another type', () => {
    expect(isRefused(() => multiLabelSelection.patchSettings(settings, { type: 'text' as 'multi_label_selection' }))).toBe(true)
  })

  test('is searched by each of its values', () => {
    expect(multiLabelSelection.toSearch(['a', 'b'])).toEqual(['a', 'b'])
  })
})
