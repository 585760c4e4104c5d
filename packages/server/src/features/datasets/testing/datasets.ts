/** Datasets for tests. Use cases create the datasets; records and responses are inserted directly into the tables. */
import type { Dataset } from '@postil/domain/datasets'
import type { Id, Json } from '@postil/domain/schema'
import type { Context, RequestContext } from '../../../context.ts'
import { addToCounts } from '../../../storage/heads.ts'
import { write } from '../../../storage/write.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../../testing/context.ts'
import { createField } from '../../fields/create.ts'
import { createQuestion } from '../../questions/create.ts'
import { insertRecords, type RecordRow } from '../../records/store.ts'
import { insertDatasetUsers, insertResponses } from '../../responses/store.ts'
import { createDataset } from '../create.ts'
import { publishDataset } from '../publish.ts'
import { loadDataset } from '../store.ts'

/** A workspace, an owner, and an admin and an annotator each inside and outside the workspace. */
export interface TestTeam {
  ctx: TestContext
  workspaceId: Id
  owner: RequestContext
  admin: RequestContext
  annotator: RequestContext
  strangeAdmin: RequestContext
  strangeAnnotator: RequestContext
}

export async function openTestTeam(env: Record<string, string> = {}): Promise<TestTeam> {
  const ctx = await openTestContext(env)
  const workspaceId = await addWorkspace(ctx)
  const other = await addWorkspace(ctx)
  return {
    ctx,
    workspaceId,
    owner: await actAs(ctx, 'owner'),
    admin: await actAs(ctx, 'admin', [workspaceId]),
    annotator: await actAs(ctx, 'annotator', [workspaceId]),
    strangeAdmin: await actAs(ctx, 'admin', [other]),
    strangeAnnotator: await actAs(ctx, 'annotator', [other]),
  }
}

export const TEXT_FIELD = {
  name: 'text',
  title: 'Text',
  required: true,
  settings: { type: 'text', use_markdown: false },
} as const
export const MOOD_QUESTION = { name: 'mood', title: 'Mood', required: true, settings: { type: 'text' } } as const

/** Owner and workspace for new datasets. */
export type TestPlace = Pick<TestTeam, 'owner' | 'workspaceId'>

export function addDraft({ owner, workspaceId }: TestPlace, name = `dataset-${owner.newId()}`): Promise<Dataset> {
  return createDataset(owner, { name, workspace_id: workspaceId })
}

/** Publishes a dataset with the field `text` and the question `mood`, both required. */
export async function addPublished(team: TestPlace): Promise<Dataset> {
  const draft = await addDraft(team)
  await createField(team.owner, draft.id, TEXT_FIELD)
  await createQuestion(team.owner, draft.id, MOOD_QUESTION)
  return publishDataset(team.owner, draft.id)
}

/** Adds one record for each entry of `metadata`. */
export async function addRecords(ctx: Context, datasetId: Id, metadata: readonly Json[]): Promise<RecordRow[]> {
  const nos = await ctx.db.sql.reserveNumbers('records', metadata.length)
  const rows = nos.map((no, index): RecordRow => {
    const now = ctx.now()
    return {
      no,
      id: ctx.newId(),
      dataset_id: datasetId,
      external_id: null,
      status: 'pending',
      shuffle: no,
      fields: '{"text":"hello"}',
      metadata: metadata[index] === null ? null : JSON.stringify(metadata[index]),
      inserted_at: now,
      updated_at: now,
    }
  })
  await write(ctx, async tx => {
    await insertRecords(tx, rows)
    addToCounts(tx, datasetId, { records: rows.length, completed: 0 })
  })
  return rows
}

type Status = 'submitted' | 'discarded' | 'draft'

/** Adds the actor's response to a record, without updating the status of the record. */
export async function addResponse(
  { actor, ...ctx }: RequestContext,
  record: RecordRow,
  status: Status = 'submitted',
): Promise<void> {
  const now = ctx.now()
  const { no: record_no, dataset_id } = record
  const row = {
    id: ctx.newId(),
    record_no,
    user_id: actor.id,
    status,
    values: '{}',
    inserted_at: now,
    updated_at: now,
  }
  await insertResponses(ctx.db, dataset_id, [row], { overwrite: false })
  await insertDatasetUsers(ctx.db, dataset_id, [actor.id], now)
}

export async function settingsVersion(ctx: Context, datasetId: Id): Promise<number> {
  return (await loadDataset(ctx.db, datasetId)).settings_version
}

export async function listJobs(ctx: Context): Promise<{ name: string; payload: unknown }[]> {
  const rows = await ctx.db.sql.all<{ name: string; payload: string }>('select name, payload from jobs order by inserted_at, id')
  return rows.map(({ name, payload }) => ({ name, payload: JSON.parse(payload) }))
}
