/**
 * Finds and removes indexes of datasets that are neither in the database nor in its log: those deleted while the cluster was down
 * for longer than the log is kept, and those created after the backup from which the database was restored.
 *
 * An index records for which database it was created. Only indexes of this database are deleted, and only by the operator's
 * command, because others may belong to another server with the same prefix.
 */
import type { Id } from '@postil/domain/schema'
import type { Database } from '../../storage/database.ts'
import type { Leftover } from '../engine.ts'
import { takeLease } from './catch-up.ts'
import { isStatus } from './errors.ts'
import { listHeads } from './heads.ts'
import { deleteIndex, findDatasetOf, listIndexes } from './indexes.ts'
import { toNextId } from './reindex.ts'
import type { States } from './states.ts'
import type { ClusterContext } from './work.ts'

/** Longer than the duration of a lease that is not renewed. */
const LEASE_WAIT_MS = 10_000

/** Identifies a database by the time at which its first tables were created. A copy has the same id. */
export async function findDatabaseId({ sql }: Database): Promise<string> {
  const first = await sql.get<{ applied_at: string }>('select applied_at from revisions order by name limit 1')
  return first?.applied_at ?? ''
}

export async function findLeftovers(context: ClusterContext): Promise<Leftover[]> {
  const { indexPrefix } = context.config
  // The database is read after the indexes were listed. This is safe because an index is created only for a committed dataset.
  const indexes = Map.groupBy(await listIndexes(context.client, indexPrefix), index => findDatasetOf(indexPrefix, index) as Id)
  for await (const heads of listHeads(context.db)) for (const { dataset_id } of heads) indexes.delete(dataset_id)
  const leftovers: Leftover[] = []
  for (const index of [...indexes.values()].flat().sort()) {
    const madeFor = await findMadeFor(context, index)
    if (madeFor !== 'gone') leftovers.push({ index, isOurs: madeFor === context.databaseId })
  }
  return leftovers
}

interface Mappings {
  [index: string]: { mappings?: { _meta?: { made_for?: string } } }
}

/** Returns null if the index was created by a release that did not record the database. */
async function findMadeFor({ client }: ClusterContext, index: string): Promise<string | 'gone' | null> {
  try {
    const answer = await client.request<Mappings>({ method: 'GET', path: `/${index}/_mapping` })
    return answer[index]?.mappings?._meta?.made_for ?? null
  } catch (error) {
    if (isStatus(error, 404)) return 'gone'
    throw error
  }
}

/** Returns the names of the deleted indexes. */
export async function removeLeftovers(context: ClusterContext, states: States): Promise<string[]> {
  const ours = (await findLeftovers(context)).filter(({ isOurs }) => isOurs).map(({ index }) => index)
  for (const index of ours) {
    const id = findDatasetOf(context.config.indexPrefix, index) as Id
    // Deletes the index last, so that it is found again if this is interrupted.
    for (const stateId of [id, toNextId(id)]) await removeState(states, stateId)
    await deleteIndex(context.client, index)
  }
  return ours
}

async function removeState(states: States, id: string): Promise<void> {
  if ((await states.find(id)) === null) return
  const held = await takeLease(states, id, LEASE_WAIT_MS)
  await held.remove()
}
