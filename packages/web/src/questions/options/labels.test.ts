import { describe, expect, test } from 'vitest'
import { optionsNamed } from '../question-fixtures.ts'
import { applyPasted, freeValue, moved, readPasted, toVisible, withLetter } from './labels.ts'

const options = [
  { value: 'refund', text: 'Refund', description: 'money' },
  { value: 'send', text: 'Goods sent', description: null },
  { value: 'other', text: 'Other', description: null },
]

describe('labels in the settings', () => {
  test.each([
    { from: 0, to: 2, order: 'bca' },
    { from: 2, to: 0, order: 'cab' },
    { from: 1, to: 1, order: 'abc' },
    { from: 0, to: -1, order: 'abc' },
    { from: 9, to: 0, order: 'abc' },
  ])('from $from to $to -> $order', ({ from, to, order }) => {
    expect(moved([...'abc'], from, to).join('')).toBe(order)
  })

  test.each([
    { position: 5, count: 10, visible: 5 },
    { position: 2, count: 10, visible: 3 },
    { position: 10, count: 10, visible: null },
  ])('slider at $position of $count -> $visible', ({ position, count, visible }) => {
    expect(toVisible(position, count)).toBe(visible)
  })

  test.each([
    { text: 'a\nb', pasted: ['=a', '=b'] },
    { text: ' a \r\n\r\n\tb\n', pasted: ['=a', '=b'] },
    { text: 'refund\tMoney back', pasted: ['refund=Money back'] },
  ])('a pasted $text', ({ text, pasted }) => {
    expect(readPasted(text).map(({ value, text }) => `${value ?? ''}=${text}`)).toEqual(pasted)
  })

  test.each([
    { text: 'Other\nGOODS SENT', result: 'other=Other send=Goods sent refund=Refund', unknown: [] },
    { text: 'send\tSent', result: 'send=Sent refund=Refund other=Other', unknown: [] },
    { text: 'Cancel\nother', result: 'other=Other refund=Refund send=Goods sent', unknown: ['Cancel'] },
    {
      text: 'Cancel\nx\tApology',
      canAdd: true,
      result: 'Cancel=Cancel x=Apology',
      unknown: [],
    },
    { text: 'Cancel\nCancel', canAdd: true, result: 'Cancel=Cancel', unknown: [] },
    { text: 'OTHER\nrefund\nSend', canAdd: true, result: 'OTHER=OTHER refund=Refund Send=Send', unknown: [] },
    { text: 'Goods sent', canAdd: true, result: 'send=Goods sent', unknown: [] },
  ])('$text applied', ({ text, canAdd = false, result, unknown }) => {
    const applied = applyPasted(options, readPasted(text), canAdd)
    expect(applied.options.map(({ value, text }) => `${value}=${text}`).join(' ')).toBe(result)
    expect(applied.unknown).toEqual(unknown)
  })

  test('keeps what a pasted list does not say', () => {
    expect(applyPasted(options, readPasted('refund\tMoney'), false).options[0]?.description).toBe('money')
  })

  test.each([
    { letters: {}, value: 'a', typed: 'G', after: { a: 'g' } },
    { letters: { a: 'g' }, value: 'a', typed: 'gr', after: { a: 'r' } },
    { letters: { a: 'g', b: 'r' }, value: 'a', typed: 'r', after: { a: 'r' } },
    { letters: { a: 'g' }, value: 'a', typed: '', after: {} },
    { letters: { a: 'g' }, value: 'b', typed: '1', after: { a: 'g' } },
  ])('$typed typed for $value', ({ letters, value, typed, after }) => {
    expect(withLetter(letters, value, typed)).toEqual(after)
  })

  test('a new label gets a value of its own', () => {
    expect(freeValue('a', optionsNamed('b'))).toBe('a')
    expect(freeValue('a', optionsNamed('a', 'a 2'))).toBe('a 3')
  })
})
