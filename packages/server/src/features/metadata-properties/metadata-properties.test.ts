import type { MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { Id } from '@postil/domain/schema'
import { afterAll, describe, expect, test } from 'vitest'
import { addPublished, addRecords, openTestTeam } from '../datasets/testing/datasets.ts'
import { createMetadataProperty } from './create.ts'
import { deleteMetadataProperty } from './delete.ts'
import { getMetadataPropertyMetrics } from './get-metrics.ts'
import { listMetadataProperties } from './list.ts'

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

describe('metrics of a metadata property', () => {
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
