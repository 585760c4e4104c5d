/** Ids of jobs: no route tells them yet, so they are read from the server's database. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Id } from '@postil/domain/schema'
import { aDataset, SMALL_DRAFT } from './datasets.ts'
import type { World } from './http.ts'

/** Deleting a dataset leaves the rest of the work to a job. */
export async function aJob(world: World): Promise<Id> {
  const dataset = await aDataset(world, SMALL_DRAFT)
  await world.owner.done(`DELETE ${dataset.path}`)
  const database = new DatabaseSync(join(world.server.home, 'postil.db'), { readOnly: true })
  const row = database.prepare('select id from jobs where payload like ?').get(`%${dataset.id}%`)
  database.close()
  return String(row?.id)
}
