import type { Id } from '@postil/domain/schema'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addRecords } from '../../features/datasets/testing/datasets.ts'
import { createMetadataProperty } from '../../features/metadata-properties/create.ts'
import { flagRecord } from '../../features/notes/flags.ts'
import { createRecordsBulk } from '../../features/records/create-bulk.ts'
import { deleteRecords } from '../../features/records/delete.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import type { ColumnKey } from '../columns/column-key.ts'
import { readColumns, toPasses } from './read-columns.ts'
import { readDocuments } from './read-documents.ts'
import { aRecord, toRecord } from './testing/arbitrary.ts'
import { fromBlocks, fromDocuments, listKeys, readColumn } from './testing/column-values.ts'
import { contextOn, createFollowedDataset, type FollowedDataset, settingsOf } from './testing/dataset.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

const RECORDS = 60
const PER_STATEMENT = 1_000
const MANY = 10_001

describe('what an index reads', () => {
  eachDatabase(db => {
    let followed: FollowedDataset
    let ids: Id[]
    let nos: number[]
    const settings = () => settingsOf(db(), followed.datasetId)
    const listNos = () =>
      db().sql.column<number>(
        'select no from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no',
        [followed.datasetId],
      )

    beforeAll(async () => {
      const ctx = contextOn(opened, db())
      followed = await createFollowedDataset(ctx)
      const { owner, annotators, questionIds, datasetId } = followed
      const userIds = annotators.map(({ actor }) => actor.id)
      const draws = fc.sample(aRecord, { numRuns: RECORDS, seed: 1 })
      const items = draws.map((draw, i) => ({
        ...toRecord(draw, questionIds, userIds),
        ...(i % 3 === 0 && { external_id: `"${i}", é` }),
      }))
      // Adds records of another dataset in between.
      const other = await createFollowedDataset(ctx)
      for (const start of [0, RECORDS / 2]) {
        await createRecordsBulk(owner, datasetId, items.slice(start, start + RECORDS / 2))
        await createRecordsBulk(other.owner, other.datasetId, [{ fields: { body: 'other' } }])
      }
      await createMetadataProperty(owner, datasetId, { name: 'later', title: 'Later', settings: { type: 'terms', values: null } })
      ids = await db().sql.column<Id>(
        'select id from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no',
        [datasetId],
      )
      for (const id of ids.slice(0, 5)) await flagRecord(annotators[0] ?? owner, id)
      for (const id of ids.slice(3, 6)) await flagRecord(owner, id)
      nos = await listNos()
    })

    test('every column has the values of the documents', async () => {
      const { documents } = await readDocuments(db(), await settings(), nos)
      expect(documents.size).toBe(RECORDS)
      const { metadataProperties, questions } = (await settings()).documents
      const keys = listKeys(
        metadataProperties.map(({ id }) => id),
        questions.map(({ id }) => id),
      )
      const dataset = { id: followed.datasetId, settings: await settings() }
      for (const key of keys) {
        const found = await fromBlocks(key, readColumn(db(), dataset, key))
        expect(found, JSON.stringify(key)).toEqual(fromDocuments(key, documents))
      }
      // Reading the columns together gives the same values.
      const passes = toPasses(keys)
      expect(passes.length).toBeLessThan(keys.length / 2)
      for (const pass of passes) {
        const blocks = await Array.fromAsync(readColumns(db(), dataset, pass))
        for (const key of pass) {
          const own = blocks.filter(block => block.key === key).map(({ block }) => block)
          expect(await fromBlocks(key, own), `${JSON.stringify(key)} of ${pass.length}`).toEqual(fromDocuments(key, documents))
        }
      }
    })

    test('a column of a property or question that does not exist has no values', async () => {
      const dataset = { id: followed.datasetId, settings: await settings() }
      for (const key of listKeys(['gone'], ['gone'])) {
        if (!('propertyId' in key || 'questionId' in key)) continue
        expect(await fromBlocks(key, readColumn(db(), dataset, key))).toEqual(new Map())
      }
    })

    test('a column of many records comes in blocks, each record once', async () => {
      const { datasetId } = await createFollowedDataset(followed.ctx)
      const rows = await addRecords(
        followed.ctx,
        datasetId,
        Array.from({ length: MANY }, (_, i) => ({ source: `web ${i}` })),
      )
      const dataset = { id: datasetId, settings: await settingsOf(db(), datasetId) }
      const [source] = dataset.settings.documents.metadataProperties
      for (const [key, blocks] of [
        [{ kind: 'record', property: 'id' }, 2],
        [{ kind: 'metadata', propertyId: source?.id ?? '', as: 'keyword' }, 11],
      ] satisfies [ColumnKey, number][]) {
        const found = await Array.fromAsync(readColumn(db(), dataset, key))
        expect(found.length).toBe(blocks)
        expect(found.flatMap(({ recordNos }) => recordNos)).toEqual(rows.map(({ no }) => no))
        const values = found.flatMap(block => block.values)
        expect(values).toEqual(key.kind === 'record' ? rows.map(({ id }) => id) : rows.map((_, i) => `web ${i}`))
      }
    })

    test('records that are deleted are told apart', async () => {
      const [first, second] = [nos[0] as number, nos[1] as number]
      await deleteRecords(followed.owner, followed.datasetId, ids[0] as Id)
      const { documents, deleted } = await readDocuments(db(), await settings(), [first, second, 2 ** 40])
      expect([[...documents.keys()], deleted]).toEqual([[second], [first, 2 ** 40]])
      expect(await readDocuments(db(), await settings(), [])).toEqual({ documents: new Map(), deleted: [] })
    })

    test('more records than a statement takes are read in several', async () => {
      const { documents, deleted } = await readDocuments(db(), await settings(), [
        ...Array.from({ length: PER_STATEMENT }, (_, i) => 2 ** 40 + i),
        ...nos.slice(1),
      ])
      expect([documents.size, deleted.length]).toEqual([RECORDS - 1, PER_STATEMENT])
    })
  })
})
