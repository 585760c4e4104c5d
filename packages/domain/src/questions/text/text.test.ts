import { describe, expect, test } from 'vitest'
import { accepts, isRefused, refusal } from '../../testing.ts'
import { text } from './text.ts'

describe('text question', () => {
  const question = { name: 'why', settings: { type: 'text' as const, use_markdown: false } }

  test.each([
    { value: 'because', ok: true },
    { value: '', ok: true },
    { value: 3, ok: false },
    { value: ['because'], ok: false },
    { value: null, ok: false },
  ])('value $value -> $ok', ({ value, ok }) => {
    expect(isRefused(() => text.checkValue(value, question))).toBe(!ok)
  })

  test('uses no markdown by default', () => {
    expect(text.fillSettings({ type: 'text' })).toEqual({ type: 'text', use_markdown: false })
    expect(text.fillSettings({ type: 'text', use_markdown: true })).toEqual({ type: 'text', use_markdown: true })
  })

  test('lets a patch change markdown, and refuses null for it', () => {
    expect(text.patchSettings(question.settings, { type: 'text', use_markdown: true }).use_markdown).toBe(true)
    expect(text.patchSettings(question.settings, { type: 'text' }).use_markdown).toBe(false)
    expect(accepts(text.settingsUpdate, { type: 'text', use_markdown: null })).toBe(false)
  })

  test('refuses a patch to another type', () => {
    expect(refusal(() => text.patchSettings(question.settings, { type: 'rating' as 'text' }))?.at).toEqual(['settings', 'type'])
  })

  test.each([
    { value: 'because', given: true },
    { value: ' \n', given: false },
    { value: '', given: false },
  ])('is found by whether there is a text, not by which: $value -> $given', ({ value, given }) => {
    expect(text.searchAs).toBe('none')
    expect(text.toSearch(value)).toEqual(given ? ['given'] : [])
  })
})
