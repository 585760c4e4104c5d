import { describe, expect, test } from 'vitest'
import type { FieldSettings } from '../fields/registry.ts'
import type { MetadataSettings } from '../metadata/registry.ts'
import type { QuestionSettings } from '../questions/registry.ts'
import type { Json } from '../schema.ts'
import { plainDocument } from '../testing/plain-search.ts'
import { type DocumentSettings, type StoredRecord, toDocument, toDocumentSettings } from './document.ts'

const options = ['a', 'b', 'c'].map(value => ({ value, text: value, description: null }))

const QUESTIONS: Record<string, QuestionSettings> = {
  label: { type: 'label_selection', options, visible_options: null },
  labels: { type: 'multi_label_selection', options, visible_options: null, options_order: 'natural' },
  stars: { type: 'rating', options: [1, 2, 3].map(value => ({ value })) },
  order: { type: 'ranking', options },
  note: { type: 'text', use_markdown: false },
  spots: {
    type: 'span',
    field: 'body',
    options,
    visible_options: null,
    allow_overlapping: false,
    allow_character_annotation: false,
  },
}

const PROPERTIES: Record<string, MetadataSettings> = {
  any: { type: 'terms', values: null },
  few: { type: 'terms', values: ['x', 1] },
  count: { type: 'integer', min: null, max: null },
  small: { type: 'integer', min: 0, max: 9 },
  weight: { type: 'float', min: null, max: null },
  constructor: { type: 'terms' as const, values: null },
}

const FIELDS: Record<string, FieldSettings> = {
  body: { type: 'text', use_markdown: false },
  talk: { type: 'chat', use_markdown: false },
  page: { type: 'custom', template: '', advanced_mode: false },
  picture: { type: 'image' },
}

const items = <Settings>(all: Record<string, Settings>) =>
  Object.entries(all).map(([name, settings]) => ({ id: `${name} id`, name, settings }))

const settings: DocumentSettings = toDocumentSettings({
  fields: items(FIELDS),
  metadataProperties: items(PROPERTIES),
  questions: items(QUESTIONS),
})

const bare: StoredRecord = {
  id: 'r',
  external_id: null,
  status: 'pending',
  inserted_at: '2026-01-05T10:11:12.131415',
  updated_at: '2026-01-05T10:11:12.131416',
  fields: {},
  metadata: null,
  suggestions: [],
  responses: [],
  flags: [],
}

test('a record without anything has an empty document', () => {
  const { id, external_id, status, inserted_at, updated_at } = bare
  expect(toDocument(bare, settings)).toEqual({
    ...plainDocument(id),
    ...{ external_id, status, inserted_at, updated_at },
  })
})

describe('the text of a field', () => {
  test.each<{ name: string; value: Json; pieces: string[] | undefined }>([
    { name: 'body', value: 'Hello there', pieces: ['Hello there'] },
    { name: 'body', value: '', pieces: [''] },
    { name: 'body', value: null, pieces: undefined },
    { name: 'talk', value: [{ role: 'user', content: 'hi' }], pieces: ['user', 'hi'] },
    { name: 'page', value: { title: 'A', rows: [1, 'b'] }, pieces: ['title', 'A', 'rows', '1', 'b'] },
    { name: 'picture', value: 'https://example.com/a.png', pieces: undefined },
    { name: 'unknown', value: 'text', pieces: undefined },
  ])('$name: $value -> $pieces', ({ name, value, pieces }) => {
    expect(toDocument({ ...bare, fields: { [name]: value } }, settings).text.get(name)).toEqual(pieces)
  })

  test('is in the order of the searchable fields', () => {
    expect(settings.textFields.map(({ name }) => name)).toEqual(['body', 'talk', 'page'])
  })
})

describe('the values of a metadata property', () => {
  test.each<{ name: string; value: Json; values: (string | number)[] | undefined }>([
    { name: 'any', value: 'web', values: ['web'] },
    { name: 'any', value: ['web', 'mail', 'web'], values: ['web', 'mail'] },
    { name: 'any', value: [1, true, [null, 'x']], values: ['1', 'true', 'x'] },
    { name: 'any', value: [], values: undefined },
    { name: 'any', value: null, values: undefined },
    { name: 'any', value: { a: 1 }, values: undefined },
    { name: 'few', value: ['x', 1], values: ['x', '1'] },
    { name: 'few', value: 'y', values: undefined },
    { name: 'count', value: 2 ** 53 - 1, values: [2 ** 53 - 1] },
    { name: 'count', value: 1.5, values: undefined },
    { name: 'count', value: '1', values: undefined },
    { name: 'small', value: 9, values: [9] },
    { name: 'small', value: 10, values: undefined },
    { name: 'weight', value: 0.1, values: [Math.fround(0.1)] },
    { name: 'weight', value: 1e300, values: undefined },
    { name: 'constructor', value: 'web', values: ['web'] },
    { name: 'unknown', value: 'web', values: undefined },
  ])('$name: $value -> $values', ({ name, value, values }) => {
    const { metadata } = toDocument({ ...bare, metadata: { [name]: value } }, settings)
    expect(metadata).toEqual(new Map(values === undefined ? [] : [[`${name} id`, values]]))
  })
})

const ranked = [
  { value: 'a', rank: 2 },
  { value: 'b', rank: 1 },
]
const spans = ['a', 'b', 'a'].map((label, start) => ({ label, start, end: start + 1 }))

describe('the values of an answer', () => {
  test.each<{ name: string; value: Json; suggested: (string | number)[]; answered: (string | number)[] | undefined }>([
    { name: 'label', value: 'a', suggested: ['a'], answered: ['a'] },
    { name: 'labels', value: ['a', 'b', 'a'], suggested: ['a', 'b'], answered: ['a', 'b'] },
    { name: 'labels', value: [], suggested: [], answered: undefined },
    { name: 'stars', value: 2, suggested: [2], answered: [2] },
    { name: 'order', value: ranked, suggested: ['b'], answered: ['b'] },
    { name: 'note', value: 'fine', suggested: [], answered: ['given'] },
    { name: 'note', value: ' ', suggested: [], answered: undefined },
    { name: 'spots', value: spans, suggested: ['a', 'b'], answered: ['a', 'b'] },
  ])('to $name: $value', ({ name, value, suggested, answered }) => {
    const id = `${name} id`
    const suggestions = [{ question_id: id, value, score: 0.5, agent: 'm', type: 'model' }]
    const responses = [{ user_id: 'u', status: 'draft' as const, values: { [name]: { value } } }]
    const document = toDocument({ ...bare, suggestions, responses }, settings)
    expect(document.suggestions).toEqual(new Map([[id, { values: suggested, scores: [0.5], agent: 'm', type: 'model' }]]))
    const values = new Map(answered === undefined ? [] : [[id, answered]])
    expect(document.responses).toEqual([{ user_id: 'u', status: 'draft', values }])
  })

  test.each([
    { score: null, scores: [] },
    { score: 0, scores: [0] },
    { score: [0.5, 0.5], scores: [0.5, 0.5] },
  ])('a suggestion with the score $score has $scores', ({ score, scores }) => {
    const suggestions = [{ question_id: 'label id', value: 'a', score, agent: null, type: null }]
    expect(toDocument({ ...bare, suggestions }, settings).suggestions.get('label id')?.scores).toEqual(scores)
  })

  test('to a question that does not exist is left out', () => {
    const suggestions = [{ question_id: 'gone', value: 'a', score: null, agent: null, type: null }]
    const responses = [{ user_id: 'u', status: 'submitted' as const, values: { gone: { value: 'a' } } }]
    const document = toDocument({ ...bare, suggestions, responses }, settings)
    expect(document.suggestions).toEqual(new Map())
    expect(document.responses).toEqual([{ user_id: 'u', status: 'submitted', values: new Map() }])
  })
})

test('flags and vectors are taken over', () => {
  const vectors = new Map([['v', [1, 2]]])
  expect(toDocument({ ...bare, flags: ['u'], vectors }, settings)).toMatchObject({ flags: ['u'], vectors })
})
