/** Pruning of finished deliveries, unused events and old secrets. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { addDraft, addPublished } from '../datasets/testing/datasets.ts'
import { updateDataset } from '../datasets/update.ts'
import { createRecordsBulk } from '../records/create-bulk.ts'
import { createWebhookPruner } from './prune.ts'
import { listWebhookDeliveries } from './read.ts'
import { addWebhook, deliver, openReceiver, withWebhooks } from './testing/receiver.ts'
import { deleteWebhook, rotateWebhookSecret, updateWebhook } from './update.ts'

const DAY_SECONDS = 86_400

/** Returns the guidelines of a dataset, or of the dataset of a record. */
const guidelinesOf = (data: unknown): string => {
  const { guidelines, dataset } = data as { guidelines?: string; dataset?: { guidelines: string } }
  return guidelines ?? dataset?.guidelines ?? ''
}

/** More than other unit tests have: 1,500 deliveries are sent and stored. */
const THOUSAND_MS = 60_000

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

describe('webhooks are pruned', () => {
  eachDatabase(db => {
    let owner: ReturnType<typeof withWebhooks<RequestContext>>
    let workspaceId: string
    let datasetId: string
    beforeAll(async () => {
      const ctx = { ...opened, db: db() }
      workspaceId = await addWorkspace(ctx)
      owner = withWebhooks(await actAs(ctx, 'owner'))
      datasetId = (await addPublished({ owner, workspaceId })).id
    })

    const count = async (table: string) =>
      (await db().sql.get<{ rows: number }>(`select count(*) as rows from ${table}`))?.rows ?? 0
    const counts = async () => ({ events: await count('webhook_events'), deliveries: await count('webhook_deliveries') })
    const countDatasets = () => count('webhook_datasets')
    const prune = async () => {
      const pruner = createWebhookPruner(owner, () => 0)
      let pieces = 0
      while (await pruner.step()) pieces++
      return pieces
    }
    const createMany = (records: number) =>
      createRecordsBulk(owner, datasetId, Array.from({ length: records }, () => ({ fields: { text: 'hello' } })) as never)

    test('the last thousand deliveries of a webhook are kept, with their events', { timeout: THOUSAND_MS }, async () => {
      const webhook = await addWebhook(owner, ['record.created'])
      for (const records of [450, 450, 300]) {
        await createMany(records)
        await deliver(owner, openReceiver())
      }
      expect(await counts()).toEqual({ events: 3, deliveries: 1200 })
      expect(await prune()).toBeGreaterThan(0)
      expect(await counts()).toEqual({ events: 3, deliveries: 1000 })
      await createMany(300)
      await deliver(owner, openReceiver())
      await prune()
      expect(await counts()).toEqual({ events: 3, deliveries: 1000 })
      expect(await countDatasets()).toBe(1)
      await deleteWebhook(owner, webhook.id)
      await prune()
      expect(await counts()).toEqual({ events: 0, deliveries: 0 })
      expect(await countDatasets()).toBe(0)
    })

    test('a version of a dataset is kept as long as an event may refer to it', async () => {
      const webhook = await addWebhook(owner, ['dataset.updated', 'record.created'])
      const receiver = openReceiver()
      for (const guidelines of ['first', 'second', 'third']) {
        await updateDataset(owner, datasetId, { guidelines })
        await createMany(1)
      }
      await prune()
      expect(await countDatasets()).toBe(3)
      await deliver(owner, receiver)
      const told = receiver.told.map(({ data }) => guidelinesOf(data))
      expect(told.toSorted()).toEqual(['first', 'first', 'second', 'second', 'third', 'third'])
      owner.moveClock(8 * DAY_SECONDS)
      await updateDataset(owner, datasetId, { guidelines: 'fourth' })
      await prune()
      expect([await counts(), await countDatasets()]).toEqual([{ events: 1, deliveries: 0 }, 1])
      await deliver(owner, receiver)
      expect(guidelinesOf(receiver.told.at(-1)?.data)).toBe('fourth')
      await deleteWebhook(owner, webhook.id)
      await prune()
      expect(await countDatasets()).toBe(0)
    })

    test('after a week, and never before they are delivered', async () => {
      const webhook = await addWebhook(owner, ['dataset.created'])
      await addDraft({ owner, workspaceId })
      await deliver(owner, openReceiver())
      const receiver = openReceiver()
      receiver.answer = () => null
      await addDraft({ owner, workspaceId })
      await deliver(owner, receiver)
      await addDraft({ owner, workspaceId })
      owner.moveClock(6 * DAY_SECONDS)
      await prune()
      expect(await counts()).toEqual({ events: 3, deliveries: 2 })
      owner.moveClock(2 * DAY_SECONDS)
      await prune()
      // One event waits for a retry, the other has no delivery yet.
      expect(await counts()).toEqual({ events: 2, deliveries: 1 })
      expect((await listWebhookDeliveries(owner, webhook.id, {})).items).toMatchObject([{ status: 'waiting' }])
      await deleteWebhook(owner, webhook.id)
      await prune()
    })

    test('events that a webhook has not reached stay, also if it is disabled', async () => {
      const webhook = await addWebhook(owner, ['dataset.created'])
      await addDraft({ owner, workspaceId })
      await updateWebhook(owner, webhook.id, { enabled: false })
      await prune()
      const receiver = openReceiver()
      await deliver(owner, receiver)
      expect(receiver.told.length).toBe(1)
      await deleteWebhook(owner, webhook.id)
      await prune()
    })

    test('a secret from before a rotation signs for a day, and goes then', async () => {
      const webhook = await addWebhook(owner, ['dataset.created'])
      await rotateWebhookSecret(owner, webhook.id)
      const hasPrevious = async () =>
        (await db().sql.get('select 1 from webhooks where previous_secret_encrypted is not null')) !== undefined
      owner.moveClock(DAY_SECONDS - 60)
      await prune()
      expect(await hasPrevious()).toBe(true)
      owner.moveClock(120)
      await prune()
      expect(await hasPrevious()).toBe(false)
    })
  })
})

test('a round waits for the next one', async () => {
  let now = 0
  const pruner = createWebhookPruner(opened, () => now)
  expect(await pruner.step()).toBe(false)
  const text = `insert into webhook_events (xid, dataset_id, dataset_version, occurred_at, wanted_by, events, payload)
    values (0, 'd', 'v', '', '[]', '[]', '{}')`
  await opened.db.sql.run(text)
  const rows = () => opened.db.sql.column('select no from webhook_events')
  await pruner.step()
  expect(await rows()).toHaveLength(1)
  now = 10_001
  await pruner.step()
  expect(await rows()).toEqual([])
})

test('numbers of events are not used again after all were deleted, also not after a restart', async () => {
  const owner = withWebhooks(await actAs(opened, 'owner'))
  const place = { owner, workspaceId: await addWorkspace(opened) }
  const webhook = await addWebhook(owner, ['dataset.created'])
  await addDraft(place)
  await deliver(owner, openReceiver())
  owner.moveClock(8 * DAY_SECONDS)
  await createWebhookPruner(owner, () => 0).step()
  expect(await opened.db.sql.column('select no from webhook_events')).toEqual([])
  // Cached numbers are lost after a restart and after a transaction that is rolled back.
  const undone = opened.db.transaction(() => Promise.reject(new Error('undone')))
  await expect(undone).rejects.toThrow('undone')
  await addDraft(place)
  const receiver = openReceiver()
  await deliver(owner, receiver)
  expect(receiver.told.length).toBe(1)
  await deleteWebhook(owner, webhook.id)
})
