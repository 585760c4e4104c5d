/** Datasets, records and responses for tests of deleting users. */
import { insertHead, setCounts } from '../../../storage/changes.ts'
import type { Queryable } from '../../../storage/database.ts'
import { insertRecords } from '../../records/store.ts'
import { insertResponses } from '../../responses/store.ts'

const TIME = '2026-01-05T10:11:12.131415'
const TIMES = { inserted_at: TIME, updated_at: TIME }

interface NewDataset {
  id: string
  workspaceId: string
  minSubmitted: number
  /** Ids of the users who submitted a response to each record, and of those with a draft. */
  records: { submitted: string[]; drafts?: string[] }[]
}

/** Adds a dataset whose totals and statuses match its responses. Returns the numbers of its records. */
export async function addAnsweredDataset(
  db: Queryable,
  { id, workspaceId, minSubmitted, records }: NewDataset,
): Promise<number[]> {
  const statuses = records.map(({ submitted }) => (submitted.length >= minSubmitted ? 'completed' : 'pending'))
  await db.kysely
    .insertInto('datasets')
    .values({
      id,
      workspace_id: workspaceId,
      name: id,
      guidelines: null,
      allow_extra_metadata: 0,
      status: 'ready',
      distribution: JSON.stringify({ strategy: 'overlap', min_submitted: minSubmitted }),
      metadata: null,
      ...TIMES,
    })
    .execute()
  await insertHead(db, id, TIME)
  const completed = statuses.filter(status => status === 'completed').length
  await setCounts(db, id, { records: records.length, completed })
  const nos: number[] = []
  for (const [index, { submitted, drafts = [] }] of records.entries()) {
    const no = await addRecord(db, `${id}-${index}`, id, statuses[index] ?? 'pending')
    for (const userId of submitted) await addResponse(db, { no, datasetId: id, userId, status: 'submitted' })
    for (const userId of drafts) await addResponse(db, { no, datasetId: id, userId, status: 'draft' })
    nos.push(no)
  }
  return nos
}

async function addRecord(db: Queryable, id: string, datasetId: string, status: string): Promise<number> {
  const [no = -1] = await db.sql.reserveNumbers('records', 1)
  const row = { no, id, dataset_id: datasetId, external_id: null, status, shuffle: 0, fields: '{}', metadata: null, ...TIMES }
  await insertRecords(db, [row])
  return no
}

async function addResponse(db: Queryable, response: { no: number; datasetId: string; userId: string; status: string }) {
  const { no, datasetId, userId, status } = response
  const row = { id: `${no}-${userId}`, record_no: no, user_id: userId, status, values: '{}', ...TIMES }
  await insertResponses(db, datasetId, [row], { overwrite: false })
  const link = { dataset_id: datasetId, user_id: userId, inserted_at: TIME }
  await db.kysely
    .insertInto('datasets_users')
    .values(link)
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
