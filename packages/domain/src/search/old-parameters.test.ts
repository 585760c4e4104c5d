import { describe, expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { toOldFilters, toOldSort } from './old-parameters.ts'
import type { OldParameters } from './query.ts'
import type { TargetContext } from './targets.ts'

const context: TargetContext = {
  dataset: {
    fields: [],
    questions: [],
    metadata_properties: [
      { id: 'm-source', name: 'source', searchAs: 'keyword', visible_for_annotators: true },
      { id: 'm-length', name: 'length', searchAs: 'integer', visible_for_annotators: true },
    ],
    vectors_settings: [],
  },
  hidesMetadata: false,
  now: '2026-11-15T03:19:37.685294',
}

const filters = (parameters: OldParameters) => toOldFilters(parameters, context)
const length = { kind: 'metadata', propertyId: 'm-length', as: 'number' }

describe('response_status', () => {
  test.each<[NonNullable<OldParameters['response_status']>, object]>([
    [['missing'], { statuses: [], pending: true }],
    [['pending', 'draft'], { statuses: ['draft'], pending: true }],
    [['submitted', 'discarded'], { statuses: ['submitted', 'discarded'], pending: false }],
  ])('%j', (response_status, expected) => {
    expect(filters({ response_status })).toEqual([{ kind: 'response_status', ...expected }])
  })
})

describe('metadata', () => {
  test.each<[string, object]>([
    ['source:a,b', { kind: 'values', values: ['a', 'b'] }],
    ['source:a:b', { kind: 'values', values: ['a:b'] }],
    ['length:{"ge": 1, "le": 5}', { kind: 'number_ranges', target: length, ranges: [{ from: 1, to: 5 }] }],
    ['length:{"ge": 1}', { kind: 'number_ranges', target: length, ranges: [{ from: 1, to: null }] }],
    ['length:{"le": 1.5, "ge": null}', { kind: 'number_ranges', target: length, ranges: [{ from: null, to: 1.5 }] }],
  ])('%j', (text, filter) => {
    expect(filters({ metadata: [text] })).toMatchObject([filter])
  })

  test.each([
    'other:a',
    'constructor:a',
    'length:5',
    'length:a',
    'length:null',
    'length:[1]',
    'length:{}',
    'length:{"ge": 2, "le": 1}',
    'length:{"ge": "1"}',
    'length:{"ge": true}',
    'length:{"ge": 1e30}',
  ])('refuses %j', text => {
    expect(() => filters({ metadata: [text] })).toThrow(DomainError)
  })
})

describe('sort_by', () => {
  test.each<[string, object]>([
    ['inserted_at', { target: { property: 'inserted_at' }, order: 'asc' }],
    ['updated_at:desc', { target: { property: 'updated_at' }, order: 'desc' }],
    ['metadata.length:asc', { target: length, order: 'asc' }],
    ['metadata.length:SortOrder.desc', { target: length, order: 'desc' }],
    ['RecordSortField.updated_at:SortOrder.asc', { target: { property: 'updated_at' }, order: 'asc' }],
  ])('%j', (text, sort) => {
    expect(toOldSort({ sort_by: [text] }, context)).toMatchObject([sort])
  })

  test.each(['', 'id', 'inserted_at:up', 'inserted_at:', 'metadata.other', 'metadata.', 'length'])('refuses %j', text => {
    expect(() => toOldSort({ sort_by: [text] }, context)).toThrow(DomainError)
  })
})
