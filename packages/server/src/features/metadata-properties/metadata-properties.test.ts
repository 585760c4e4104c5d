import type { MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { Id } from '@postil/domain/schema'
import { afterAll, describe, expect, test } from 'vitest'
import { addDraft, addPublished, addRecords, openTestTeam, settingsVersion } from '../datasets/testing/datasets.ts'
import { createMetadataProperty } from './create.ts'
import { deleteMetadataProperty } from './delete.ts'
import { getMetadataPropertyMetrics } from './get-metrics.ts'
import { listMetadataProperties } from './list.ts'
import { updateMetadataProperty } from './update.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())
const { owner } = team

const terms = (name = 'source', values: string[] | null = null): MetadataPropertyCreate => ({
  name,
  title: name,
  settings: { type: 'terms', values },
})
const numbers = (type: 'integer' | 'float', bounds: { min?: number; max?: number } = {}): MetadataPropertyCreate => ({
  name: type,
  title: type,
  settings: { type, min: bounds.min ?? null, max: bounds.max ?? null },
})

const metricsOf = (id: Id) => getMetadataPropertyMetrics(owner, id)

describe('adding a metadata property', () => {
  test('stores it, visible unless said otherwise; annotators do not see hidden ones', async () => {
    const { id } = await addPublished(team)
    const version = await settingsVersion(team.ctx, id)
    const source = await createMetadataProperty(owner, id, terms())
    const secret = await createMetadataProperty(owner, id, { ...terms('secret'), visible_for_annotators: false })
    expect(source).toEqual({
      id: expect.any(String),
      name: 'source',
      title: 'source',
      settings: { type: 'terms', values: null },
      visible_for_annotators: true,
      dataset_id: id,
      inserted_at: source.updated_at,
      updated_at: source.updated_at,
    })
    expect(await listMetadataProperties(team.admin, id)).toEqual({ items: [source, secret] })
    expect(await listMetadataProperties(team.annotator, id)).toEqual({ items: [source] })
    expect(await settingsVersion(team.ctx, id)).toBe(version + 2)
  })

  test('refuses a name that another one has', async () => {
    const { id } = await addDraft(team)
    await createMetadataProperty(owner, id, terms())
    await expect(createMetadataProperty(owner, id, numbers('float'))).resolves.toBeDefined()
    await expect(createMetadataProperty(owner, id, terms())).rejects.toMatchObject({ code: 'not_unique' })
  })
})

describe('changing a metadata property', () => {
  test('takes title and visibility, each without the other', async () => {
    const { id } = await addDraft(team)
    const property = await createMetadataProperty(owner, id, terms())
    const hidden = await updateMetadataProperty(owner, property.id, { visible_for_annotators: false })
    expect(hidden).toEqual({ ...property, visible_for_annotators: false, updated_at: hidden.updated_at })
    const renamed = await updateMetadataProperty(owner, property.id, { title: 'Origin' })
    expect(renamed).toMatchObject({ title: 'Origin', visible_for_annotators: false })
    expect(await listMetadataProperties(owner, id)).toEqual({ items: [renamed] })
  })

  test('with what it has already leaves it alone', async () => {
    const { id } = await addDraft(team)
    const property = await createMetadataProperty(owner, id, terms())
    const version = await settingsVersion(team.ctx, id)
    const given = { title: property.title, visible_for_annotators: true }
    expect(await updateMetadataProperty(owner, property.id, given)).toEqual(property)
    expect(await settingsVersion(team.ctx, id)).toBe(version)
  })
})

describe('metrics of a metadata property', () => {
  test('of a draft are empty', async () => {
    const { id } = await addDraft(team)
    const metrics = []
    for (const given of [terms(), numbers('integer'), numbers('float')]) {
      metrics.push(await metricsOf((await createMetadataProperty(owner, id, given)).id))
    }
    expect(metrics).toEqual([
      { type: 'terms', total: 0, values: [] },
      { type: 'integer', min: null, max: null },
      { type: 'float', min: null, max: null },
    ])
  })

  test('count terms, the most frequent first, then by code point', async () => {
    const { id } = await addPublished(team)
    await addRecords(team.ctx, id, [
      { source: ['web', 'b'] },
      { source: 'web' },
      { source: ['a', 'B', 'b'] },
      { source: 7 },
      null,
    ])
    const { id: property } = await createMetadataProperty(owner, id, terms())
    expect(await metricsOf(property)).toEqual({
      type: 'terms',
      total: 7,
      values: [
        { term: 'b', count: 2 },
        { term: 'web', count: 2 },
        { term: '7', count: 1 },
        { term: 'B', count: 1 },
        { term: 'a', count: 1 },
      ],
    })
  })

  test('list more terms than counts beside filters do', async () => {
    const { id } = await addPublished(team)
    const names = Array.from({ length: 1100 }, (_, i) => `t${String(i).padStart(4, '0')}`)
    await addRecords(team.ctx, id, [{ source: names.slice(0, 600) }, { source: names.slice(500) }])
    const { id: property } = await createMetadataProperty(owner, id, terms())
    const both = names.slice(500, 600)
    const one = names.filter(name => !both.includes(name))
    expect(await metricsOf(property)).toEqual({
      type: 'terms',
      total: 1200,
      values: [...both.map(term => ({ term, count: 2 })), ...one.map(term => ({ term, count: 1 }))],
    })
  })

  test('give the smallest and the largest number, floats as 32 bits with five decimals', async () => {
    const { id } = await addPublished(team)
    await addRecords(team.ctx, id, [
      { integer: 40, float: 100000.123456 },
      { integer: -3, float: 0.1234567 },
      { integer: 9007199254740991 },
    ])
    const integer = await createMetadataProperty(owner, id, numbers('integer'))
    const float = await createMetadataProperty(owner, id, numbers('float'))
    expect(await metricsOf(integer.id)).toEqual({ type: 'integer', min: -3, max: 9007199254740991 })
    expect(await metricsOf(float.id)).toEqual({ type: 'float', min: 0.12346, max: 100000.125 })
  })
})

describe('a property added to a dataset that has records', () => {
  test('finds the values they hold, and leaves out those its type refuses', async () => {
    const { id } = await addPublished(team)
    await addRecords(team.ctx, id, [
      { source: 'web', integer: 5 },
      { source: 'fax', integer: 50 },
      { source: { kind: 'object' }, integer: '5' },
      { source: null, integer: 5.5 },
      { constructor: 'web' },
      null,
    ])
    const source = await createMetadataProperty(owner, id, terms('source', ['web', 'mail']))
    const integer = await createMetadataProperty(owner, id, numbers('integer', { max: 10 }))
    const odd = await createMetadataProperty(owner, id, terms('constructor'))
    expect(await metricsOf(source.id)).toEqual({ type: 'terms', total: 1, values: [{ term: 'web', count: 1 }] })
    expect(await metricsOf(integer.id)).toEqual({ type: 'integer', min: 5, max: 5 })
    expect(await metricsOf(odd.id)).toMatchObject({ total: 1 })
  })
})

describe('removing a metadata property', () => {
  test('forgets its values; the same name can come back with another type', async () => {
    const { id } = await addPublished(team)
    await addRecords(team.ctx, id, [{ float: 1.5 }])
    const property = await createMetadataProperty(owner, id, numbers('float'))
    expect(await deleteMetadataProperty(owner, property.id)).toEqual(property)
    expect(await listMetadataProperties(owner, id)).toEqual({ items: [] })
    const again = await createMetadataProperty(owner, id, terms('float'))
    expect(await metricsOf(again.id)).toMatchObject({ values: [{ term: '1.5', count: 1 }] })
  })
})
