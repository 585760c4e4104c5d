import { describe, expect, test } from 'vitest'
import { accepts, isRefused, refusal } from '../../testing.ts'
import { rating } from './rating.ts'

const settings = (...values: number[]) => ({ type: 'rating' as const, options: values.map(value => ({ value })) })

describe('rating question', () => {
  const question = { name: 'stars', settings: settings(1, 2, 3, 4, 5) }

  test.each([
    { value: 1, ok: true },
    { value: 5, ok: true },
    { value: 0, ok: false },
    { value: 6, ok: false },
    { value: 3.5, ok: false },
    { value: '3', ok: false },
    { value: true, ok: false },
    { value: [3], ok: false },
  ])('value $value -> $ok', ({ value, ok }) => {
    expect(isRefused(() => rating.checkValue(value, question))).toBe(!ok)
  })

  test('names the options when a value is none of them', () => {
    expect(refusal(() => rating.checkValue(7, question))?.message).toBe(
      '`7` is not an option of question `stars`. Options: 1, 2, 3, 4, 5',
    )
  })

  test.each([
    { values: [0, 10], ok: true },
    { values: [3, 1, 7], ok: true },
    { values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], ok: true },
    { values: [1], ok: false },
    { values: [0, 11], ok: false },
    { values: [-1, 1], ok: false },
    { values: [1, 1], ok: false },
    { values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10], ok: false },
  ])('options $values -> $ok', ({ values, ok }) => {
    expect(accepts(rating.settingsCreate, settings(...values))).toBe(ok)
  })

  test('keeps its settings whatever a patch says', () => {
    expect(rating.patchSettings(question.settings, settings(1, 2))).toEqual(question.settings)
    expect(isRefused(() => rating.patchSettings(question.settings, { type: 'text' }))).toBe(true)
  })

  test('is searched as a number', () => {
    expect(rating.toSearch(3)).toEqual([3])
  })
})
