/** Tests which record is drawn before the application starts, and when none is drawn. */
import { firstCallsOf } from '@postil/domain/api/first-calls'
import { expect, test } from 'vitest'
import { findFirstRecord } from './first-record.ts'

const ID = '0193a0b0-0000-7000-8000-000000000001'
const text = (name: string, use_markdown = false) => ({
  name,
  title: name.toUpperCase(),
  settings: { type: 'text', use_markdown },
})
const image = { name: 'picture', title: 'Picture', settings: { type: 'image' } }
const span = (field: string) => ({ settings: { type: 'span', field } })

interface Plan {
  search?: string
  fields?: object[]
  questions?: object[]
  metadata?: unknown
  records?: Record<string, unknown>[]
}

function find({ search = '', fields = [text('a')], questions = [], metadata = null, records = [{ a: 'first' }] }: Plan) {
  const dataset = { id: ID, name: 'd', workspace: { name: 'w' }, fields, questions, metadata }
  const bodies = [{}, dataset, { items: records.map(values => ({ record: { fields: values } })), total: records.length }]
  const answers = firstCallsOf(`dataset/${ID}`, search).map(({ key }, i) => ({
    call: key,
    user: 'u',
    text: JSON.stringify(bodies[i]),
  }))
  return findFirstRecord(answers, search)
}
const textsOf = (plan: Plan) => find(plan)?.texts.map(one => one.text) ?? null

test('the first one', () => {
  expect(find({})).toEqual({
    userId: 'u',
    dataset: { id: ID, name: 'd', workspace: 'w' },
    texts: [{ title: 'A', text: 'first' }],
  })
})

test.each([
  { page: 3, count: 30, at: 2 },
  { page: 41, count: 30, at: 5 },
  { page: 41, count: 4, at: 3 },
])('page $page of $count records begins at $at', ({ page, count, at }) => {
  const records = Array.from({ length: count }, (_, i) => ({ a: `record ${i}` }))
  expect(textsOf({ search: `page=${page}`, records })).toEqual([`record ${at}`])
})

test('plain texts up to the first field that only the application can draw', () => {
  const records = [{ a: 'one', b: 'two', picture: 'x', c: 'three' }]
  expect(textsOf({ fields: [text('a'), text('b'), image, text('c')], records })).toEqual(['one', 'two'])
  expect(textsOf({ fields: [text('a'), text('b', true)], records })).toEqual(['one'])
  expect(textsOf({ fields: [text('a'), text('b')], questions: [span('b')], records })).toEqual(['one'])
  expect(textsOf({ fields: [text('a'), text('b'), text('c')], records: [{ a: null, b: 'two', c: 3 }] })).toEqual(['two'])
})

test.each([
  { why: 'its first field is an image', fields: [image, text('a')], records: [{ picture: 'x', a: 'one' }] },
  { why: 'spans are marked in it', questions: [span('a')] },
  { why: 'the queue is empty', records: [] },
  { why: 'its text is empty', records: [{ a: '' }] },
  { why: 'the address names a record', search: 'record=x' },
  { why: 'the records are not in the page', search: 'search=x' },
  { why: 'the dataset opens with the bulk view', metadata: { postil: { view: 'bulk' } } },
  { why: 'fields stand side by side', metadata: { postil: { fieldLayout: 'side' } } },
])('none if $why', ({ why: _why, ...plan }) => {
  expect(find(plan)).toBeNull()
})
