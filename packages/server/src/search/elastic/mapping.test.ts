import { toDocumentSettings } from '@postil/domain/search/document'
import { describe, expect, test } from 'vitest'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import { toFlavour } from './flavour.ts'
import { textKey } from './keys.ts'
import { toIndexBody, toMappingGrowth } from './mapping.ts'

/** Names that would collide if they were used in the index. */
const settings = {
  documents: toDocumentSettings({
    fields: [
      { name: 'a.b', settings: { type: 'text', use_markdown: false } },
      { name: 'picture', settings: { type: 'image' } },
    ],
    questions: [
      { id: 'q-label', name: 'status', settings: { type: 'label_selection', options: [], visible_options: null } },
      { id: 'q-stars', name: 'id', settings: { type: 'rating', options: [] } },
      { id: 'q-note', name: 'user_id', settings: { type: 'text', use_markdown: false } },
    ],
    metadataProperties: [
      { id: 'p-terms', name: 'x', settings: { type: 'terms', values: null } },
      { id: 'p-float', name: 'x.y', settings: { type: 'float', min: null, max: null } },
    ],
  }),
  vectorsSettings: [
    { id: 'v-small', dimensions: 3 },
    { id: 'v-full', dimensions: 4096 },
    { id: 'v-large', dimensions: 20_000 },
  ],
} as unknown as DatasetSettings

const elasticsearch = toFlavour('elasticsearch', '8.13.4')
const opensearch = toFlavour('opensearch', '2.19.1')
type Properties = { [name: string]: { type?: string; properties: Properties } }
const growth = (flavour = elasticsearch) => toMappingGrowth(settings, flavour).properties as unknown as Properties
const typesOf = (object: { properties: Properties } | undefined) =>
  Object.fromEntries(Object.entries(object?.properties ?? {}).map(([name, { type }]) => [name, type]))

describe('mapping', () => {
  test('has each thing under its id, typed by how it is compared', () => {
    const { text, metadata, suggestions, responses } = growth()
    expect(typesOf(text)).toEqual({ [textKey('a.b')]: 'text' })
    expect(typesOf(metadata)).toEqual({ 'p-terms': 'keyword', 'p-float': 'double' })
    expect(typesOf(suggestions?.properties['q-label'])).toEqual({
      value: 'keyword',
      score: 'double',
      agent: 'keyword',
      type: 'keyword',
    })
    expect(typesOf(suggestions?.properties['q-stars'])).toMatchObject({ value: 'double' })
    expect(typesOf(suggestions?.properties['q-note'])).toEqual({ score: 'double', agent: 'keyword', type: 'keyword' })
    expect(responses?.type).toBe('nested')
    expect(typesOf(responses)).toEqual({ user_id: 'keyword', status: 'keyword', values: 'object' })
    expect(typesOf(responses?.properties.values)).toEqual({ 'q-label': 'keyword', 'q-stars': 'double', 'q-note': 'keyword' })
  })

  test.each([
    [elasticsearch, { 'v-small': 4, 'v-full': 4096 }],
    [toFlavour('elasticsearch', '8.5.0'), { 'v-small': 4 }],
    [opensearch, { 'v-small': 4, 'v-full': 4097 }],
  ])('has vectors with room for one dimension more, unless the engine has none (case %#)', (flavour, expected) => {
    const entries = Object.entries(growth(flavour).vectors?.properties ?? {}) as unknown as [
      string,
      { dims?: number; dimension?: number },
    ][]
    expect(Object.fromEntries(entries.map(([name, { dims, dimension }]) => [name, dims ?? dimension]))).toEqual(expected)
  })

  test('an index has the limits it was asked for, and refuses what is not mapped', () => {
    const body = toIndexBody(settings, { flavour: opensearch, shards: 2, replicas: 1, totalFieldsMax: 2000, databaseId: 'd' })
    expect(body.settings).toMatchObject({
      index: {
        number_of_shards: 2,
        number_of_replicas: 1,
        max_result_window: 500_000,
        'mapping.total_fields.limit': 2000,
        knn: true,
      },
    })
    expect(body.mappings).toMatchObject({ dynamic: 'strict', ...toMappingGrowth(settings, opensearch) })
  })
})
