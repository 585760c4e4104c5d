/** Tests with a real cluster: how indexes follow their datasets. */
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteDataset } from '../../features/datasets/delete.ts'
import { reindexDataset } from '../../features/datasets/reindex.ts'
import { loadDataset } from '../../features/datasets/store.ts'
import { verifyDataset } from '../../features/datasets/verify.ts'
import { createMetadataProperty } from '../../features/metadata-properties/create.ts'
import { deleteMetadataProperty } from '../../features/metadata-properties/delete.ts'
import { deleteRecords } from '../../features/records/delete.ts'
import { createVectorsSettings } from '../../features/vectors-settings/create.ts'
import type { ElasticConfig } from '../../search-settings.ts'
import type { TestContext } from '../../testing/context.ts'
import { addRecords, type Corpus, createTestDataset, readCorpus, runQuery, toQuery } from '../corpus.contract.ts'
import type { FollowedDataset } from '../source/testing/dataset.ts'
import { type EngineClient, openClient } from './client.ts'
import { type ElasticEngine, openElasticEngine } from './engine.ts'
import { openIndexer } from './indexer.ts'
import { listIndexes, refreshIndex } from './indexes.ts'
import { toNextId } from './reindex.ts'
import { openClusterContext, TEST_CLUSTER } from './testing/cluster.ts'

describe.skipIf(TEST_CLUSTER === null)('an index in a cluster', () => {
  let ctx: TestContext
  let client: EngineClient
  let engine: ElasticEngine
  let config: ElasticConfig
  beforeAll(async () => {
    ctx = await openClusterContext()
    config = ctx.config.elastic as ElasticConfig
    client = openClient(config)
    engine = openElasticEngine({ db: ctx.db, config, log: ctx.log })
  })
  afterAll(async () => {
    await engine.close()
    await client.close()
    await ctx.close()
  })

  const open = async (count = 3): Promise<FollowedDataset> => {
    const followed = await createTestDataset(ctx)
    await addRecords(
      followed,
      Array.from({ length: count }, (_, i) => toRecord(i)),
    )
    return followed
  }
  const toRecord = (i: number) => ({
    external_id: `r${i}`,
    fields: { reply: `word number${i}` },
    metadata: { source: [`s${i}`] },
  })
  const findAll = async (followed: FollowedDataset, body = {}) => {
    const corpus: Corpus = await readCorpus(followed)
    return (await runQuery(corpus, toQuery(corpus, body))).total
  }
  const verify = async ({ datasetId }: FollowedDataset) =>
    verifyDataset(ctx, await loadDataset(ctx.db, datasetId), () => undefined)
  const indexesOf = async (datasetId: Id) =>
    (await listIndexes(client, config.indexPrefix)).filter(name => name.includes(datasetId))
  const until = async (isDone: () => Promise<boolean>) => {
    for (let i = 0; i < 100 && !(await isDone()); i++) await new Promise(resolve => setTimeout(resolve, 100))
    expect(await isDone()).toBe(true)
  }

  test('a metadata property that is added later finds what records had before, and one that is deleted leaves no trace', async () => {
    const followed = await createTestDataset(ctx)
    const { owner, datasetId } = followed
    const plain = { fields: { reply: 'word' } }
    await addRecords(followed, [{ ...plain, metadata: { later: 'yes' } }, { ...plain, metadata: { later: 'no' } }, plain])
    expect(await findAll(followed)).toBe(3)
    const property = await createMetadataProperty(owner, datasetId, {
      name: 'later',
      title: 'L',
      settings: { type: 'terms', values: null },
    })
    const filter = { type: 'terms', scope: { entity: 'metadata', metadata_property: 'later' }, values: ['yes'] }
    expect(await findAll(followed, { filters: { and: [filter] } })).toBe(1)
    expect((await verify(followed)).differences).toEqual([])
    await deleteMetadataProperty(owner, property.id)
    await createMetadataProperty(owner, datasetId, {
      name: 'later',
      title: 'L',
      settings: { type: 'integer', min: null, max: null },
    })
    expect(await findAll(followed, { filters: { and: [{ ...filter, values: ['1'] }] } })).toBe(0)
    expect((await verify(followed)).differences).toEqual([])
  })

  test('vectors that are added later are found', async () => {
    const followed = await open()
    expect(await findAll(followed)).toBe(3)
    await createVectorsSettings(followed.owner, followed.datasetId, { name: 'late', title: 'Late', dimensions: 2 })
    await addRecords(followed, [{ fields: { reply: 'x' }, vectors: { late: [1, 0] } }])
    expect(await findAll(followed, { query: { vector: { name: 'late', value: [1, 1] } } })).toBe(1)
  })

  test('an index that somebody deleted is made again, by a search and by a write', async () => {
    const followed = await open()
    expect(await findAll(followed)).toBe(3)
    const [index] = await indexesOf(followed.datasetId)
    await client.request({ method: 'DELETE', path: `/${index}` })
    expect(await findAll(followed)).toBe(3)
    const [second] = await indexesOf(followed.datasetId)
    await client.request({ method: 'DELETE', path: `/${second}` })
    await addRecords(followed, [toRecord(4)])
    expect(await findAll(followed)).toBe(4)
    expect(await indexesOf(followed.datasetId)).toHaveLength(1)
  })

  test('a log that is not kept as far back as the index is makes a new one', async () => {
    const followed = await open()
    expect(await findAll(followed)).toBe(3)
    const { documents } = await readCorpus(followed)
    await deleteRecords(followed.owner, followed.datasetId, documents[0]?.id ?? '')
    await addRecords(followed, [toRecord(4)])
    const { change_no } = await loadDataset(ctx.db, followed.datasetId)
    await ctx.db.sql.run('delete from changes where dataset_id = ? and change_no < ?', [followed.datasetId, change_no])
    expect(await findAll(followed)).toBe(3)
    expect((await verify(followed)).differences).toEqual([])
    expect(await indexesOf(followed.datasetId)).toHaveLength(1)
  })

  test('a restored database with the same numbers, but other entries, makes a new one', async () => {
    const followed = await open()
    expect(await findAll(followed)).toBe(3)
    const [index] = await indexesOf(followed.datasetId)
    await ctx.db.sql.run("update changes set inserted_at = '2001-01-01T00:00:00.000000' where dataset_id = ?", [
      followed.datasetId,
    ])
    await addRecords(followed, [toRecord(4)])
    expect(await findAll(followed)).toBe(4)
    expect(await indexesOf(followed.datasetId)).not.toContain(index)
  })

  test('several engines that work on the same dataset at once lose nothing', async () => {
    const followed = await createTestDataset(ctx)
    const others = Array.from({ length: 3 }, () => openElasticEngine({ db: ctx.db, config, log: ctx.log }))
    for (let i = 0; i < 6; i++) {
      await addRecords(
        followed,
        Array.from({ length: 20 }, (_, j) => toRecord(i * 20 + j)),
      )
      const { searched, dataset } = await readCorpus(followed)
      const query = toQuery({ dataset } as Corpus, {})
      const found = await Promise.all(others.map(other => other.search(searched, query)))
      expect(found.map(({ total }) => total)).toEqual([1, 1, 1].map(() => (i + 1) * 20))
    }
    for (const other of others) await other.close()
    expect((await verify(followed)).differences).toEqual([])
  })

  test('verify names what is missing, different and too much', async () => {
    const followed = await open()
    expect(await verify(followed)).toEqual({ records: 3, differences: [] })
    const { ids } = await readCorpus(followed)
    const [first, second] = [...ids.keys()].sort((a, b) => a - b)
    const [index] = await indexesOf(followed.datasetId)
    await client.request({ method: 'DELETE', path: `/${index}/_doc/${first}` })
    const { change_no: version } = await loadDataset(ctx.db, followed.datasetId)
    const query = { version, version_type: 'external_gte' }
    await client.request({ method: 'PUT', path: `/${index}/_doc/${second}`, query, body: { record_no: second, digest: 'other' } })
    await client.request({ method: 'PUT', path: `/${index}/_doc/999999`, body: { record_no: 999999, digest: 'x' } })
    await refreshIndex(client, index ?? '')
    expect((await verify(followed)).differences).toEqual([
      `1 record is missing in the index: ${ids.get(first ?? 0)}`,
      `1 record is different in the index: ${ids.get(second ?? 0)}`,
      '1 record is in the index, but not in the database (by number): 999999',
    ])
    await reindexDataset(ctx, await loadDataset(ctx.db, followed.datasetId), () => undefined)
    expect((await verify(followed)).differences).toEqual([])
  })

  test('a reindex builds a new index, switches to it, and deletes the old one and what an interrupted reindex left', async () => {
    const followed = await open()
    expect(await findAll(followed)).toBe(3)
    const before = await indexesOf(followed.datasetId)
    const left = `${config.indexPrefix}.${followed.datasetId}-left`
    await client.request({ method: 'PUT', path: `/${left}`, body: {} })
    const next = await engine.states.take(toNextId(followed.datasetId))
    await next?.save({ index: left })
    await next?.release()
    await reindexDataset(ctx, await loadDataset(ctx.db, followed.datasetId), () => undefined)
    const after = await indexesOf(followed.datasetId)
    expect(after).toHaveLength(1)
    expect(after).not.toEqual(before)
    const alias = `${config.indexPrefix}.${followed.datasetId}`
    expect(Object.keys(await client.request<object>({ method: 'GET', path: `/_alias/${alias}` }))).toEqual(after)
    expect(await findAll(followed)).toBe(3)
    expect(await engine.states.find(toNextId(followed.datasetId))).toBeNull()
  })

  test('the indexer follows without being asked, and deletes what nobody needs', async () => {
    const [gone, kept] = [await open(), await open()]
    expect(await findAll(gone)).toBe(3)
    const orphan = `${config.indexPrefix}.${kept.datasetId}-orphan`
    await client.request({ method: 'PUT', path: `/${orphan}`, body: {} })
    await deleteDataset(gone.owner, gone.datasetId)
    const indexer = openIndexer(engine)
    const reached = async () => (await engine.states.find(kept.datasetId))?.change_no
    await until(async () => (await reached()) === (await loadDataset(ctx.db, kept.datasetId)).change_no)
    await until(async () => (await indexesOf(gone.datasetId)).length === 0)
    await until(async () => (await indexesOf(kept.datasetId)).length === 1)
    expect(await indexesOf(kept.datasetId)).not.toContain(orphan)
    expect(await engine.states.find(gone.datasetId)).toBeNull()
    await addRecords(kept, [toRecord(7)])
    indexer.wake()
    await until(async () => (await reached()) === (await loadDataset(ctx.db, kept.datasetId)).change_no)
    await indexer.close()
  }, 30_000)

  test('an index that cannot be written, as with a full disk: searches say so, and find everything when it can', async () => {
    const followed = await open()
    expect(await findAll(followed)).toBe(3)
    const [index] = await indexesOf(followed.datasetId)
    const block = (isBlocked: boolean | null) =>
      client.request({
        method: 'PUT',
        path: `/${index}/_settings`,
        body: { index: { blocks: { read_only_allow_delete: isBlocked } } },
      })
    await block(true)
    await addRecords(followed, [toRecord(4)])
    await expect(findAll(followed)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('does not accept changes at the moment'),
    })
    await block(null)
    expect(await findAll(followed)).toBe(4)
  }, 30_000)

  test('status tells how far the indexes are', async () => {
    const followed = await open()
    expect(await engine.info()).toMatchObject({ engine: config.name, status: 'available', datasets_behind: expect.any(Number) })
    await findAll(followed)
  })
})
