import { expect, test } from 'vitest'
import { insertHead } from '../../storage/changes.ts'
import type { Database } from '../../storage/database.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { readDataset } from './speculative-read.ts'
import { deleteDataset } from './store.ts'

const TIME = '2026-01-05T10:11:12.131415'

async function addDataset(db: Database, id: string): Promise<void> {
  const times = { inserted_at: TIME, updated_at: TIME }
  await db.kysely
    .insertInto('workspaces')
    .values({ id: `w-${id}`, name: `w-${id}`, ...times })
    .execute()
  const settings = { allow_extra_metadata: 1, status: 'ready', distribution: '{"strategy":"overlap","min_submitted":1}' }
  const row = { id, workspace_id: `w-${id}`, name: id, guidelines: null, metadata: null, ...settings, ...times }
  await db.kysely.insertInto('datasets').values(row).execute()
  await insertHead(db, id, TIME)
}

eachDatabase(db => {
  const change = (id: string) => db().sql.run('update dataset_heads set change_no = change_no + 1 where dataset_id = ?', [id])
  /** Returns the change numbers passed to each run of a read, in order. */
  const readNumbers = async (id: string) => {
    const seen: number[] = []
    const answer = await readDataset(db(), id, async (_, { change_no }) => {
      seen.push(change_no)
      return change_no
    })
    return { seen, answer }
  }

  test('a read gets the dataset as it is, however often it was the same before', async () => {
    await addDataset(db(), 'd1')
    for (let i = 0; i < 4; i++) expect(await readNumbers('d1')).toEqual({ seen: [0], answer: 0 })
    await change('d1')
    const isEarly = db().dialect.name === 'postgres'
    expect(await readNumbers('d1')).toEqual({ seen: isEarly ? [0, 1] : [1], answer: 1 })
    // The dataset has just changed, so the read does not start early.
    await change('d1')
    expect(await readNumbers('d1')).toEqual({ seen: [2], answer: 2 })
    expect(await readNumbers('d1')).toEqual({ seen: [2], answer: 2 })
  })

  test('a failure with an old row is ignored, and a failure with the current row is thrown', async () => {
    await addDataset(db(), 'd2')
    const failAt = (no: number) =>
      readDataset(db(), 'd2', async (_, { change_no }) => {
        if (change_no === no) throw new Error(`failed at ${no}`)
        return change_no
      })
    for (let i = 0; i < 3; i++) await readNumbers('d2')
    await expect(failAt(0)).rejects.toThrow('failed at 0')
    await change('d2')
    expect(await failAt(0)).toBe(1)
  })

  test('a dataset that was deleted is not found', async () => {
    await addDataset(db(), 'd3')
    for (let i = 0; i < 3; i++) await readNumbers('d3')
    await deleteDataset(db(), 'd3')
    await expect(readNumbers('d3')).rejects.toMatchObject({ code: 'not_found' })
  })
})
