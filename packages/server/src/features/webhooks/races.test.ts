/** Webhooks in two processes on one database. On SQLite, only one process writes, one transaction at a time. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import type { Database } from '../../storage/database.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { addDraft } from '../datasets/testing/datasets.ts'
import { listWebhooks } from './read.ts'
import { addWebhook, ask, deliver, openReceiver, type Receiver, withWebhooks } from './testing/receiver.ts'
import { deleteWebhook } from './update.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

describe('two processes', () => {
  eachDatabase((db, openAnother) => {
    let other: Database
    let one: ReturnType<typeof withWebhooks<RequestContext>>
    let two: ReturnType<typeof withWebhooks<RequestContext>>
    let receiver: Receiver
    const isShared = () => db().dialect.name === 'postgres'
    beforeAll(async () => {
      other = openAnother()
      const ctx = inProcess(opened, db())
      const owner = await actAs(ctx, 'owner')
      one = withWebhooks(owner)
      // SQLite has a single process, whose cache is always current.
      two = isShared() ? withWebhooks(inProcess(owner, other)) : one
    })
    afterAll(() => other.close())
    beforeEach(async () => {
      receiver = openReceiver()
      for (const { id } of (await listWebhooks(one)).items) await deleteWebhook(one, id)
    })

    // Creates each dataset in its own workspace, because creation locks the workspace.
    const dataset = async (ctx: RequestContext, name?: string) =>
      addDraft({ owner: ctx, workspaceId: await addWorkspace(one) }, name)
    const names = () => receiver.told.map(({ data }) => data.name)

    test('an event that is committed after later ones is not lost', async () => {
      await addWebhook(one, ['dataset.created'])
      const { promise: written, resolve: write } = Promise.withResolvers<void>()
      const { promise: gate, resolve: open } = Promise.withResolvers<void>()
      const enqueue = async () => {
        write()
        await gate
      }
      // The row has a number but is not committed yet.
      const slow = dataset(isShared() ? { ...one, subscribers: [...one.subscribers, { enqueue }] } : one, `slow-${one.newId()}`)
      await (isShared() ? written : slow)
      await dataset(two, `quick-${one.newId()}`)
      await deliver(two, receiver)
      expect(names().filter(name => name.startsWith('slow'))).toHaveLength(isShared() ? 0 : 1)
      open()
      await slow
      await deliver(two, receiver)
      expect(
        names()
          .map(name => name.replace(/-.*/, ''))
          .toSorted(),
      ).toEqual(['quick', 'slow'])
    })

    test('one of them at a time delivers for a webhook', async () => {
      if (!isShared()) return
      await addWebhook(one, ['dataset.created'])
      await dataset(two)
      const { tasks } = await ask(one, { process: 'one' })
      expect(tasks.length).toBe(1)
      await dataset(two)
      expect(await ask(two, { process: 'two' })).toMatchObject({ tasks: [], nextAt: expect.any(String) })
      // The first process continues and returns its lease; then the second one can deliver.
      const outcome = { kind: 'answered', status: 200, excerpt: '', duration_ms: 1 } as const
      const next = await ask(one, { process: 'one', attempts: tasks.map(task => ({ ...task, outcome })) })
      expect(next.tasks.length).toBe(1)
      await ask(one, { process: 'one', attempts: next.tasks.map(task => ({ ...task, outcome })) })
      await dataset(one)
      expect((await ask(two, { process: 'two' })).tasks.length).toBe(1)
    })

    test('what a process that died was sending is sent by another when its lease has run out', async () => {
      await addWebhook(one, ['dataset.created'])
      await dataset(one)
      expect((await ask(one, { process: 'dead' })).tasks.length).toBe(1)
      two.moveClock(61)
      await deliver(two, receiver, 'two')
      two.moveClock(-61)
      expect(receiver.told.length).toBe(1)
    })

    test('what a process that stops leaves is sent by another at once', async () => {
      await addWebhook(one, ['dataset.created'])
      await dataset(one)
      expect((await ask(one, { process: 'one' })).tasks.length).toBe(1)
      expect(await ask(one, { process: 'one', isStopping: true })).toEqual({ tasks: [], nextAt: null, isFull: false })
      await deliver(two, receiver, 'two')
      expect(receiver.told.length).toBe(1)
    })

    test('an outcome that comes twice counts once', async () => {
      await addWebhook(one, ['dataset.created'])
      await dataset(one)
      const { tasks } = await ask(one, { process: 'one' })
      const failed = { kind: 'failed', error: 'No answer', duration_ms: 1 } as const
      const answered = { kind: 'answered', status: 200, excerpt: '', duration_ms: 1 } as const
      await ask(one, { process: 'one', attempts: tasks.map(task => ({ ...task, outcome: answered })) })
      await ask(one, { process: 'one', attempts: tasks.map(task => ({ ...task, outcome: failed })) })
      const text = 'select status, attempts from webhook_deliveries'
      expect(await db().sql.all(text)).toEqual([{ status: 'succeeded', attempts: 1 }])
    })

    test('cannot exceed the limit of ten webhooks together', async () => {
      for (let count = 0; count < 9; count++) await addWebhook(one, ['dataset.created'])
      const results = await race(db(), {
        first: gate => addWebhook(gate(one), ['dataset.created']),
        second: () => addWebhook(two, ['dataset.created']),
      })
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect((await listWebhooks(one)).items.length).toBe(10)
    })

    test('what another process subscribes to is stored at once', async () => {
      await dataset(two)
      await addWebhook(one, ['dataset.created'])
      await dataset(two)
      await deliver(one, receiver)
      expect(receiver.told.length).toBe(1)
    })
  })
})
