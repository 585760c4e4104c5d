/** A server under attack with one owner and one workspace, and checks for after each group of attacks. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Dataset } from '@postil/domain/datasets'
import type { DatasetRecord } from '@postil/domain/records'
import { afterAll, beforeAll, expect } from 'vitest'
import { aDataset, addRecords, type BuiltDataset, type DatasetOptions } from '../datasets.ts'
import { type Answer, type Caller, fresh, openSmallWorld, type SmallWorld, type World } from '../http.ts'
import { HANG_MS, measured } from '../server-work.ts'

export type Target = SmallWorld

export const openTarget = openSmallWorld

// `datasets.ts` only uses the owner and the workspace of a world.
export const datasetOf = (target: Target, options?: DatasetOptions): Promise<BuiltDataset> => aDataset(target as World, options)
export const recordsOf = (target: Target, dataset: BuiltDataset, items: object[]): Promise<DatasetRecord[]> =>
  addRecords(target as World, dataset, items)

const RELATIONS = 'include=responses,suggestions,vectors'

type Attacked = Pick<Target, 'server' | 'owner' | 'since'>

/**
 * Returns all stored data with timestamps, but only the names and settings of the datasets of other files. If it is equal before
 * and after, nothing was written.
 */
export async function readAll({ owner, since }: Pick<Target, 'owner' | 'since'>): Promise<object> {
  type List = { items: object[] }
  const all = (await owner.done<{ items: Dataset[] }>('GET /datasets')).items
  const [datasets, others] = [
    all.filter(({ inserted_at }) => inserted_at >= since),
    all.filter(({ inserted_at }) => inserted_at < since),
  ]
  const parts = ['fields', 'questions', 'metadata-properties', 'vectors-settings', `records?limit=1000&${RELATIONS}`]
  return {
    users: (await owner.done<List>('GET /users')).items,
    workspaces: (await owner.done<List>('GET /me/workspaces')).items,
    others,
    datasets: await Promise.all(
      datasets.map(async dataset => ({
        dataset,
        parts: await Promise.all(parts.map(part => owner.done<List>(`GET /datasets/${dataset.id}/${part}`))),
        progress: await owner.done(`GET /datasets/${dataset.id}/progress`),
      })),
    ),
  }
}

/** For one request, with room for the collection of garbage that attacks have left. */
const ALIVE_PROCESSOR_MS = 1_000

/** Expects the same process to respond without much work, and to accept valid writes. */
export async function expectAlive({ server, owner }: Pick<Target, 'server' | 'owner'>): Promise<void> {
  expect(process.kill(server.pid, 0)).toBe(true)
  const { result, ms } = await measured(server, () => within(HANG_MS, owner.send('GET /me')))
  expect(result.status).toBe(200)
  expect(ms, 'processor time of the server until it answered').toBeLessThan(ALIVE_PROCESSOR_MS)
  const name = fresh('alive')
  expect((await owner.send<{ name: string }>('POST /workspaces', { name })).body.name).toBe(name)
}

/** Runs attacks that must all be refused. Expects that nothing is written and the server keeps working. */
export async function unharmed(target: Attacked, attack: () => Promise<unknown>): Promise<void> {
  const before = await readAll(target)
  await attack()
  expect(await readAll(target)).toEqual(before)
  await expectAlive(target)
}

/** Like `unharmed` for a group of tests: call it first in a `describe` whose attacks are all refused. */
export function writesNothing(target: () => Attacked): void {
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
