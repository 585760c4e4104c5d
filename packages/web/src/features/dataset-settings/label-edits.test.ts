import { expect, test } from 'vitest'
import { readLabels, rebase, withoutLabel } from './label-edits.ts'

const option = (value: string, text = value, description: string | null = null) => ({ value, text, description })

test.each([
  { text: 'new', options: [option('new')], known: [] },
  { text: ' one \r\n\ntwo', options: [option('one'), option('two')], known: [] },
  { text: 'v\tName\tWhen it rains', options: [option('v', 'Name', 'When it rains')], known: [] },
  { text: '\tName', options: [option('Name')], known: [] },
  { text: 'a\nnew\nnew', options: [option('new')], known: ['a', 'new'] },
  { text: ' \n\t\t', options: [], known: [] },
])('$text', ({ text, options, known }) => {
  expect(readLabels(text, [{ value: 'a' }])).toEqual({ options, known, tooLong: [] })
})

test('a value that the server would refuse is named', () => {
  const long = 'x'.repeat(201)
  expect(readLabels(`${long}\nfits`, [])).toEqual({ options: [option('fits')], known: [], tooLong: [long] })
})

const optionsNamed = (...values: string[]) => values.map(value => option(value))

const settings = (options: ReturnType<typeof option>[], visible_options: number | null = null) =>
  ({ type: 'label_selection', options, visible_options }) as const

test('edits are rebased onto the stored labels', () => {
  const stored = settings(optionsNamed('a', 'x', 'c', 'd'), 4)
  expect(rebase(settings([option('a', 'Alpha'), option('b'), option('c')]), stored)).toEqual(
    settings([option('a', 'Alpha'), ...optionsNamed('x', 'c', 'd')], 4),
  )
  // An edited order is kept.
  expect(rebase(settings(optionsNamed('c', 'b', 'a')), stored)).toEqual(settings(optionsNamed('c', 'a', 'x', 'd'), 4))
  expect(rebase({ type: 'text', use_markdown: true }, { type: 'text', use_markdown: false })).toEqual({
    type: 'text',
    use_markdown: true,
  })
})

test.each([
  { to: 'b', letters: { q: { b: 'x' } } },
  { to: 'c', letters: { q: { c: 'y' } } },
  { to: null, letters: { q: {} } },
])('the letter of a label replaced by $to', ({ to, letters }) => {
  const before = { letters: { q: to === 'c' ? { a: 'x', c: 'y' } : { a: 'x' } }, colours: { other: { a: 'teal' as const } } }
  expect(withoutLabel(before, 'q', 'a', to)).toEqual({ letters, colours: before.colours })
})
