import { describe, expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { RESPONSE_STATUSES } from '../responses.ts'
import type { ExistsScope, Filter, RangeFilter, Scope } from './query.ts'
import { type TargetContext, toFilter, toSort } from './targets.ts'

const context: TargetContext = {
  dataset: {
    fields: [],
    questions: [
      { id: 'q-topic', name: 'topic', searchAs: 'keyword' },
      { id: 'q-stars', name: 'stars', searchAs: 'integer' },
      { id: 'q-comment', name: 'comment', searchAs: 'none' },
      { id: 'q-spots', name: 'spots', searchAs: 'unordered' },
    ],
    metadata_properties: [
      { id: 'm-source', name: 'source', searchAs: 'keyword', visible_for_annotators: true },
      { id: 'm-length', name: 'length', searchAs: 'integer', visible_for_annotators: true },
      { id: 'm-ratio', name: 'ratio', searchAs: 'float', visible_for_annotators: true },
    ],
    vectors_settings: [],
  },
  hidesMetadata: false,
  now: '2026-11-15T03:19:37.685294',
}

type Bounds = Pick<RangeFilter, 'ge' | 'le'>

const terms = (scope: Scope, ...values: string[]) => toFilter({ type: 'terms', scope, values }, context)
const range = (scope: Scope, bounds: Bounds) => toFilter({ type: 'range', scope, ...bounds }, context)
const sort = (scope: Scope) => toSort({ scope, order: 'asc' }, context).target

const record = (property: 'id' | '_server_id' | 'external_id' | 'status' | 'inserted_at' | 'updated_at'): Scope => ({
  entity: 'record',
  property,
})
const metadata = (metadata_property: string): Scope => ({ entity: 'metadata', metadata_property })
const suggestion = (question: string, property?: 'value' | 'score' | 'agent' | 'type' | null): Scope =>
  property === undefined ? { entity: 'suggestion', question } : { entity: 'suggestion', question, property }
const response = (question: string): Scope => ({ entity: 'response', question })
const responseStatus: Scope = { entity: 'response', question: null, property: 'status' }

const topic = { questionId: 'q-topic', questionName: 'topic' }
const stars = { questionId: 'q-stars', questionName: 'stars' }
const nothing: Filter = { kind: 'nothing' }

describe('a terms filter', () => {
  test.each<[string, Filter, object]>([
    [
      'record status',
      terms(record('status'), 'pending'),
      { kind: 'values', values: ['pending'], target: { property: 'status' } },
    ],
    ['external id', terms(record('external_id'), 'a', 'B'), { kind: 'values', values: ['a', 'B'] }],
    [
      '_server_id',
      terms(record('_server_id'), 'a'),
      { kind: 'values', target: { kind: 'record', property: 'id', as: 'keyword' } },
    ],
    [
      'a day',
      terms(record('inserted_at'), '2026-11-15'),
      { kind: 'text_ranges', ranges: [{ from: '2026-11-15T00:00:00.000000', to: '2026-11-15T23:59:59.999999' }] },
    ],
    ['metadata terms', terms(metadata('source'), '7'), { kind: 'values', values: ['7'], target: { propertyId: 'm-source' } }],
    [
      'metadata integer',
      terms(metadata('length'), '5.0', '5.5'),
      {
        kind: 'number_ranges',
        target: { kind: 'metadata', propertyId: 'm-length', as: 'number' },
        ranges: [
          { from: 5, to: 5 },
          { from: 5.5, to: 5.5 },
        ],
      },
    ],
    [
      'suggestion value of a label',
      terms(suggestion('topic'), 'food'),
      { kind: 'values', target: { ...topic, property: 'value' } },
    ],
    [
      'suggestion value of a rating',
      terms(suggestion('stars', 'value'), '4'),
      { kind: 'number_ranges', ranges: [{ from: 4, to: 4 }] },
    ],
    ['suggestion value of a text', terms(suggestion('comment'), 'a'), nothing],
    ['suggestion score', terms(suggestion('comment', 'score'), '0.5'), { kind: 'number_ranges', target: { as: 'number' } }],
    [
      'suggestion agent',
      terms(suggestion('stars', 'agent'), 'm1'),
      { kind: 'values', target: { property: 'agent', as: 'keyword' } },
    ],
    [
      'suggestion type',
      terms(suggestion('stars', 'type'), 'model'),
      { kind: 'values', target: { property: 'type', as: 'keyword' } },
    ],
    ['suggestion without property', terms(suggestion('topic', null), 'food'), nothing],
    ['response to a label', terms(response('topic'), 'food'), { kind: 'values', target: { kind: 'response', ...topic } }],
    ['response to a rating', terms(response('stars'), '4'), { kind: 'number_ranges', target: { kind: 'response', ...stars } }],
    ['response to a text', terms(response('comment'), 'a'), nothing],
    ['labels of spans', terms(response('spots'), 'a'), { kind: 'values', target: { questionId: 'q-spots', as: 'keyword' } }],
    ['suggested labels of spans', terms(suggestion('spots'), 'a'), { kind: 'values', target: { property: 'value' } }],
    [
      'response with question and property',
      terms({ entity: 'response', question: 'topic', property: 'status' }, 'food'),
      { kind: 'values', target: { kind: 'response', ...topic } },
    ],
    ['response status', terms(responseStatus, 'draft'), { kind: 'response_status', statuses: ['draft'], pending: false }],
    ['response pending', terms(responseStatus, 'pending', 'x'), { kind: 'response_status', statuses: [], pending: true }],
    ['response missing', terms(responseStatus, 'missing', 'Draft'), nothing],
  ])('on %s', (_, filter, expected) => {
    expect(filter).toMatchObject(expected)
  })

  test.each([metadata('length'), metadata('ratio'), suggestion('stars'), suggestion('topic', 'score'), response('stars')])(
    'refuses a text that is no number on %j',
    scope => {
      expect(() => terms(scope, 'many')).toThrow(DomainError)
      expect(() => terms(scope, '')).toThrow(DomainError)
    },
  )

  test('refuses values that are not dates for timestamps of the record', () => {
    expect(() => terms(record('inserted_at'), 'soon')).toThrow(DomainError)
  })
})

describe('a range filter', () => {
  test.each<[string, Filter, object]>([
    ['text', range(record('external_id'), { ge: 'a', le: 'b' }), { kind: 'text_ranges', ranges: [{ from: 'a', to: 'b' }] }],
    ['text by a number', range(metadata('source'), { ge: 1 }), { kind: 'text_ranges', ranges: [{ from: '1.0', to: null }] }],
    [
      'times',
      range(record('updated_at'), { ge: '2026-11-15', le: '2026-11-15' }),
      { ranges: [{ from: '2026-11-15T00:00:00.000000', to: '2026-11-15T23:59:59.999999' }] },
    ],
    ['times by epoch', range(record('updated_at'), { le: 0 }), { ranges: [{ from: null, to: '1970-01-01T00:00:00.000999' }] }],
    ['integers', range(metadata('length'), { ge: 1.5 }), { kind: 'number_ranges', ranges: [{ from: 1.5, to: null }] }],
    ['integers as text', range(metadata('length'), { le: '9' }), { kind: 'number_ranges', ranges: [{ from: null, to: 9 }] }],
    ['true', range(metadata('length'), { ge: true }), { kind: 'number_ranges', ranges: [{ from: 1, to: null }] }],
    ['labels', range(response('topic'), { ge: 'a' }), { kind: 'text_ranges', target: { kind: 'response' } }],
    ['answers that are not indexed', range(response('comment'), { ge: 1 }), nothing],
    ['labels in no order', range(response('spots'), { ge: 'a' }), nothing],
  ])('over %s', (_, filter, expected) => {
    expect(filter).toMatchObject(expected)
  })

  test('over floats reaches to all that is the same in 32 bits', () => {
    const filter = range(metadata('ratio'), { le: 0.1 })
    expect(filter.kind === 'number_ranges' && (filter.ranges[0]?.to ?? 0) >= 0.10000000149011612).toBe(true)
  })

  test.each([{ ge: 'a' }, { ge: '' }, { le: 'Infinity' }])('refuses the bound %j on numbers', bounds => {
    expect(() => range(metadata('length'), bounds)).toThrow(DomainError)
  })

  test('refuses the status of responses', () => {
    expect(() => range(responseStatus, { ge: 'draft' })).toThrow(DomainError)
  })
})

describe('an exists filter', () => {
  const exists = (scope: ExistsScope, exists = true) => toFilter({ type: 'exists', scope, exists }, context)

  test.each<[string, Filter, Filter]>([
    ['a flag', exists({ entity: 'record', property: 'flag' }), { kind: 'exists', of: { kind: 'flag' }, exists: true }],
    [
      'metadata',
      exists({ entity: 'metadata', metadata_property: 'length' }, false),
      { kind: 'exists', of: { kind: 'metadata', propertyId: 'm-length', as: 'number' }, exists: false },
    ],
    [
      'a suggestion',
      exists({ entity: 'suggestion', question: 'comment' }),
      { kind: 'exists', of: { kind: 'suggestion', questionIds: ['q-comment'] }, exists: true },
    ],
    [
      'any suggestion',
      exists({ entity: 'suggestion', question: null }),
      { kind: 'exists', of: { kind: 'suggestion', questionIds: ['q-topic', 'q-stars', 'q-comment', 'q-spots'] }, exists: true },
    ],
    [
      'an answer',
      exists({ entity: 'response', question: 'comment' }, false),
      { kind: 'exists', of: { kind: 'response', questionId: 'q-comment' }, exists: false },
    ],
    [
      'any response',
      exists({ entity: 'response' }),
      { kind: 'response_status', statuses: [...RESPONSE_STATUSES], pending: false },
    ],
    ['no response', exists({ entity: 'response' }, false), { kind: 'response_status', statuses: [], pending: true }],
  ])('on %s', (_, filter, expected) => {
    expect(filter).toEqual(expected)
  })

  test.each<ExistsScope>([
    { entity: 'metadata', metadata_property: 'other' },
    { entity: 'suggestion', question: 'other' },
    { entity: 'response', question: 'other' },
  ])('is refused by %j', scope => {
    expect(() => exists(scope)).toThrow(DomainError)
  })

  test('does not know properties that are hidden from the caller', () => {
    const [first, ...rest] = context.dataset.metadata_properties
    if (first === undefined) throw new Error('there is a property')
    const metadata_properties = [{ ...first, visible_for_annotators: false }, ...rest]
    const hiding = { ...context, dataset: { ...context.dataset, metadata_properties }, hidesMetadata: true }
    const scope = { entity: 'metadata' as const, metadata_property: first.name }
    expect(() => toFilter({ type: 'exists', scope, exists: true }, hiding)).toThrow(DomainError)
  })
})

describe('a sort', () => {
  test.each<[Scope, object]>([
    [record('inserted_at'), { kind: 'record', property: 'inserted_at' }],
    [record('_server_id'), { kind: 'record', property: 'id' }],
    [metadata('ratio'), { kind: 'metadata', propertyId: 'm-ratio', as: 'number' }],
    [suggestion('comment', 'score'), { kind: 'suggestion', property: 'score', as: 'number' }],
    [suggestion('comment', 'agent'), { kind: 'suggestion', property: 'agent', as: 'keyword' }],
    [suggestion('topic', null), { kind: 'suggestion', property: 'value', as: 'keyword' }],
    [response('stars'), { kind: 'response', ...stars, as: 'number' }],
    [response('topic'), { kind: 'response', ...topic, as: 'keyword' }],
    [responseStatus, { kind: 'response_status' }],
  ])('by %j', (scope, target) => {
    expect(sort(scope)).toMatchObject(target)
  })

  const unsorted = [
    suggestion('comment'),
    suggestion('comment', null),
    response('comment'),
    suggestion('spots'),
    response('spots'),
  ]
  test.each(unsorted)('is refused by %j', scope => {
    expect(() => sort(scope)).toThrow(DomainError)
  })
})

test.each<Scope>([
  { entity: 'response' },
  { entity: 'response', question: null, property: null },
  suggestion('other'),
  suggestion('other', null),
  response('other'),
  metadata('other'),
])('neither filter nor sort takes %j', scope => {
  expect(() => terms(scope, 'a')).toThrow(DomainError)
  expect(() => sort(scope)).toThrow(DomainError)
})
