/** Tests with a real cluster: indexes whose datasets are not in the database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteDataset } from '../../features/datasets/delete.ts'
import { createMetadataProperty } from '../../features/metadata-properties/create.ts'
import type { ElasticConfig } from '../../search-settings.ts'
import type { TestContext } from '../../testing/context.ts'
import { addRecords, createTestDataset, readCorpus, runQuery, toQuery } from '../corpus.contract.ts'
import type { FollowedDataset } from '../source/testing/dataset.ts'
import { type EngineClient, openClient } from './client.ts'
import { type ElasticEngine, openElasticEngine } from './engine.ts'
import { openIndexer } from './indexer.ts'
import { listIndexes } from './indexes.ts'
import { toNextId } from './reindex.ts'
import { openClusterContext, TEST_CLUSTER } from './testing/cluster.ts'

describe.skipIf(TEST_CLUSTER === null)('indexes whose datasets are gone', () => {
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

  const open = async (): Promise<FollowedDataset> => {
    const followed = await createTestDataset(ctx)
    await addRecords(followed, [{ external_id: 'r1', fields: { reply: 'word' } }])
    const corpus = await readCorpus(followed)
    expect((await runQuery(corpus, toQuery(corpus, {}))).total).toBe(1)
    return followed
  }
  const indexesOf = async ({ datasetId }: FollowedDataset) =>
    (await listIndexes(client, config.indexPrefix)).filter(name => name.includes(datasetId))

  /** Simulates a cluster that was down for longer than the log is kept. */
  async function forget({ owner, datasetId }: FollowedDataset): Promise<void> {
    await deleteDataset(owner, datasetId)
    await ctx.db.sql.run('delete from changes where dataset_id = ?', [datasetId])
    await ctx.db.sql.run('delete from dataset_heads where dataset_id = ?', [datasetId])
  }

  test('are found and deleted, with what is kept of them, and no others', async () => {
    const [gone, kept, deleted] = [await open(), await open(), await open()]
    const [left] = await indexesOf(gone)
    // An index left by an interrupted reindex.
    const next = `${left}x`
    await client.request({ method: 'PUT', path: `/${next}`, body: { mappings: { _meta: { made_for: await madeFor(left) } } } })
    const held = await engine.states.take(toNextId(gone.datasetId))
    await held?.save({ index: next })
    await held?.release()
    await forget(gone)
    // Its deletion is still in the log, so the indexer handles it.
    await deleteDataset(deleted.owner, deleted.datasetId)
    expect(await engine.findLeftovers()).toEqual([left, next].map(index => ({ index, isOurs: true })))
    expect(await engine.removeLeftovers()).toEqual([left, next])
    expect(await engine.findLeftovers()).toEqual([])
    expect(await engine.states.list([gone.datasetId, toNextId(gone.datasetId)])).toEqual(new Map())
    expect([(await indexesOf(kept)).length, (await indexesOf(deleted)).length]).toEqual([1, 1])
  }, 60_000)

  test('are left alone if they were made for another database, or if nobody knows for which', async () => {
    const gone = await open()
    const id = gone.datasetId.replace(/^.{4}/, 'ffff')
    const foreign = [`${config.indexPrefix}.${id}-other`, `${config.indexPrefix}.${id}-unknown`]
    await client.request({ method: 'PUT', path: `/${foreign[0]}`, body: { mappings: { _meta: { made_for: 'another' } } } })
    await client.request({ method: 'PUT', path: `/${foreign[1]}`, body: {} })
    // An index with a longer prefix, which must be ignored.
    await client.request({ method: 'PUT', path: `/${config.indexPrefix}.b.${id}-x`, body: {} })
    expect(await engine.findLeftovers()).toEqual(foreign.map(index => ({ index, isOurs: false })))
    expect(await engine.removeLeftovers()).toEqual([])
    const indexer = openIndexer(engine)
    indexer.wake()
    await indexer.close()
    expect(await engine.findLeftovers()).toHaveLength(2)
  }, 60_000)

  test('are known by a note that stays when the mapping grows', async () => {
    const followed = await open()
    const [index = ''] = await indexesOf(followed)
    const before = await madeFor(index)
    await createMetadataProperty(followed.owner, followed.datasetId, {
      name: 'later',
      title: 'L',
      settings: { type: 'terms', values: null },
    })
    const corpus = await readCorpus(followed)
    const filter = { type: 'terms' as const, scope: { entity: 'metadata' as const, metadata_property: 'later' }, values: ['yes'] }
    expect((await runQuery(corpus, toQuery(corpus, { filters: { and: [filter] } }))).total).toBe(0)
    expect(await indexesOf(followed)).toEqual([index])
    expect([before, await madeFor(index)]).toEqual([expect.stringMatching(/^\d{4}-/), before])
  }, 60_000)

  async function madeFor(index = ''): Promise<unknown> {
    const answer = await client.request<Record<string, { mappings: { _meta?: { made_for: string } } }>>({
      method: 'GET',
      path: `/${index}/_mapping`,
    })
    return answer[index]?.mappings._meta?.made_for
  }
})
