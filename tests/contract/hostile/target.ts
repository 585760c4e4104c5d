/** A server under attack with one owner and one workspace, and checks for after each group of attacks. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Dataset } from '@postil/domain/datasets'
import type { DatasetRecord } from '@postil/domain/records'
import type { User } from '@postil/domain/users'
import { afterAll, beforeAll, expect } from 'vitest'
import { discard, startServer } from '../../server.ts'
import { aDataset, addRecords, type BuiltDataset, type DatasetOptions } from '../datasets.ts'
import { type Answer, aWorkspace, type Caller, caller, fresh, type World } from '../http.ts'

export type Target = Pick<World, 'server' | 'owner' | 'nobody' | 'workspaceId' | 'close'>

/** Faster than `openWorld`: only creates the owner. */
export async function openTarget(env: Record<string, string> = {}): Promise<Target> {
  const server = await startServer({ env })
  const me = await caller(server.url, server.apiKey).done<User>('GET /me')
  const owner = caller(server.url, server.apiKey, me)
  const workspaceId = await aWorkspace(owner)
  return { server, owner, nobody: caller(server.url, null), workspaceId, close: () => discard(server) }
}

// `datasets.ts` only uses the owner and the workspace of a world.
export const datasetOf = (target: Target, options?: DatasetOptions): Promise<BuiltDataset> => aDataset(target as World, options)
export const recordsOf = (target: Target, dataset: BuiltDataset, items: object[]): Promise<DatasetRecord[]> =>
  addRecords(target as World, dataset, items)

const RELATIONS = 'include=responses,suggestions,vectors'

/** Returns all stored data with timestamps. If it is equal before and after, nothing was written. */
export async function readAll({ owner }: Pick<Target, 'owner'>): Promise<object> {
  type List = { items: object[] }
  const datasets = (await owner.done<{ items: Dataset[] }>('GET /datasets')).items
  const parts = ['fields', 'questions', 'metadata-properties', 'vectors-settings', `records?limit=1000&${RELATIONS}`]
  return {
    users: (await owner.done<List>('GET /users')).items,
    workspaces: (await owner.done<List>('GET /me/workspaces')).items,
    datasets: await Promise.all(
      datasets.map(async dataset => ({
        dataset,
        parts: await Promise.all(parts.map(part => owner.done<List>(`GET /datasets/${dataset.id}/${part}`))),
        progress: await owner.done(`GET /datasets/${dataset.id}/progress`),
      })),
    ),
  }
}

/** Expects the same process to respond quickly (with time for a busy machine) and to accept valid writes. */
export async function expectAlive({ server, owner }: Pick<Target, 'server' | 'owner'>): Promise<void> {
  expect(process.kill(server.pid, 0)).toBe(true)
  const started = performance.now()
  expect((await within(60_000, owner.send('GET /me'))).status).toBe(200)
  expect(performance.now() - started).toBeLessThan(10_000)
  const name = fresh('alive')
  expect((await owner.send<{ name: string }>('POST /workspaces', { name })).body.name).toBe(name)
}

/** Runs attacks that must all be refused. Expects that nothing is written and the server keeps working. */
export async function unharmed(target: Pick<Target, 'server' | 'owner'>, attack: () => Promise<unknown>): Promise<void> {
  const before = await readAll(target)
  await attack()
  expect(await readAll(target)).toEqual(before)
  await expectAlive(target)
}

/** Like `unharmed` for a group of tests: call it first in a `describe` whose attacks are all refused. */
export function writesNothing(target: () => Pick<Target, 'server' | 'owner'>): void {
  let before: object
  beforeAll(async () => {
    before = await readAll(target())
  })
  afterAll(async () => {
    expect(await readAll(target())).toEqual(before)
    await expectAlive(target())
  })
}

/** Returns the value, or throws after the timeout. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = Symbol('late')
  const result = await Promise.race([work, pause(milliseconds, late, { ref: false })])
  if (result === late) throw new Error(`no answer within ${milliseconds} milliseconds`)
  return result as T
}

/** For bodies that `JSON.stringify` cannot produce. */
export const sendJson = (caller: Caller, request: string, text: string | Uint8Array<ArrayBuffer>): Promise<Answer> =>
  caller.send(request, text, { 'content-type': 'application/json' })

/** Expects 422 with a text, in one of the shapes that clients know. */
export function expectUnprocessable(answer: Answer, about?: RegExp): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 422 })
  const { detail } = answer.body as { detail: string | { code: string; params: { errors: { msg: string }[] } } }
  if (typeof detail === 'string') expect(detail).toMatch(/\w{3}/)
  else {
    expect(detail.code).toBe('argilla.api.errors::ValidationError')
    expect(detail.params.errors.length).toBeGreaterThan(0)
  }
  if (about !== undefined) expect(answer.text).toMatch(about)
}
