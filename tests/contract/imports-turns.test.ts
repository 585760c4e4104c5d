/** Imports of several users take turns: a short one does not wait until long ones are done. Compares the order of their ends. */
import type { Import, Preview } from '@postil/domain/imports'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEST_DATABASE } from '../databases/postgres.ts'
import { aMember, type Caller, openOwnWorld, type World } from './http.ts'
import { aHubDataset } from './hub-world.ts'
import { importFile, TEXT_MAPPING, untilImported, upload } from './import-world.ts'

const LONG_ROWS = 10_000
const LONG = `text\n${Array.from({ length: LONG_ROWS }, (_, row) => `row ${row}`).join('\n')}\n`
const SHORT = 'text\nhello\n'

let world: World
beforeAll(async () => {
  world = await openOwnWorld()
})
afterAll(() => world?.close())

const aDataset = () => aHubDataset(world.owner, world.workspaceId)
const aUser = () => aMember(world, 'admin')
const statusOf = async (caller: Caller, id: Id) => (await caller.done<Import>(`GET /imports/${id}`)).status

async function startLong(caller: Caller): Promise<Id> {
  const [datasetId, upload_id] = [await aDataset(), await upload(caller, 'long.csv', LONG)]
  return (await caller.done<Import>(`POST /datasets/${datasetId}/imports`, { upload_id, mapping: TEXT_MAPPING })).id
}

/** On PostgreSQL a process runs one import at a time, and further processes run the others. */
describe.runIf(TEST_DATABASE === 'sqlite')('a short import ends before', () => {
  test.each([
    ['two long ones of one other user', 1, 2],
    ['a long one of each of three other users', 3, 1],
    ['two long ones of each of two other users', 2, 2],
  ])('%s', async (_which, users, each) => {
    const short = await aUser()
    const datasetId = await aDataset()
    const others = await Promise.all(Array.from({ length: users }, aUser))
    const long: { caller: Caller; id: Id }[] = []
    for (const caller of others) for (let no = 0; no < each; no++) long.push({ caller, id: await startLong(caller) })
    expect(await importFile(short, { datasetId, content: SHORT })).toMatchObject({ status: 'finished', rows: { created: 1 } })
    for (const { caller, id } of long) expect(['queued', 'started', 'running']).toContain(await statusOf(caller, id))
    for (const { caller, id } of long) await caller.done(`POST /imports/${id}/cancel`)
    for (const { caller, id } of long) expect((await untilImported(caller, id)).status).toBe('canceled')
  })

  test('the many previews of other users', async () => {
    const [short, ...others] = await Promise.all([aUser(), aUser(), aUser()])
    const own = await upload(short, 'short.csv', SHORT)
    const ids = await Promise.all(others.map(caller => upload(caller, 'long.csv', LONG)))
    const ended: string[] = []
    const preview = (caller: Caller, id: Id, name: string) =>
      caller.done<Preview>(`POST /uploads/${id}/preview`, {}).then(() => ended.push(name))
    const many = others.flatMap((caller, index) => Array.from({ length: 20 }, () => preview(caller, ids[index] as Id, 'other')))
    await Promise.all([...many, preview(short, own, 'own')])
    expect(ended.indexOf('own')).toBeLessThan(ended.length / 2)
  })
})
