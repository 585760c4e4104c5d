/** Reads the imported data back from the target database, for the comparison. */
import type { ResponseStatus } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { findDataset, toDataset } from '../features/datasets/store.ts'
import { listFields } from '../features/fields/store.ts'
import { listMetadataProperties } from '../features/metadata-properties/store.ts'
import { listQuestions } from '../features/questions/store.ts'
import { listRecordsByNumbers } from '../features/records/store.ts'
import { listResponsesOf } from '../features/responses/store.ts'
import { listSuggestionsOf } from '../features/suggestions/store.ts'
import { listUsers } from '../features/users/store.ts'
import { listVectorsOf } from '../features/vectors/store.ts'
import { listVectorsSettings } from '../features/vectors-settings/store.ts'
import { listWebhooks, toWebhook } from '../features/webhooks/store.ts'
import { listWorkspaces, type Membership } from '../features/workspaces/store.ts'
import { findDatasetNo } from '../storage/dataset-numbers.ts'
import { addAnnotator, addDataset, addMembership, addRecord, addUser, addWebhook, addWorkspace } from './contents.ts'
import type { Accounts } from './read-accounts.ts'
import type { SourceDataset } from './read-datasets.ts'
import type { SourceRecord, SourceSuggestion } from './read-records.ts'
import type { Tally } from './tally.ts'

const RECORDS_PER_READ = 200

export async function tallyAccounts(ctx: Context, accounts: Accounts, tally: Tally): Promise<void> {
  const toIds = (items: readonly { id: Id }[]) => new Set(items.map(({ id }) => id))
  const [userIds, workspaceIds, webhookIds] = [accounts.users, accounts.workspaces, accounts.webhooks].map(toIds)
  for (const user of await listUsers(ctx.db)) {
    if (userIds?.has(user.id)) addUser(tally, { ...user, api_key: ctx.apiKeys.decrypt(user.api_key_encrypted) })
  }
  for (const workspace of await listWorkspaces(ctx.db, { memberId: null })) {
    if (workspaceIds?.has(workspace.id)) addWorkspace(tally, workspace)
  }
  const memberships = await ctx.db.sql.all<Membership>('select workspace_id, user_id, inserted_at from workspaces_users')
  for (const membership of memberships) if (workspaceIds?.has(membership.workspace_id)) addMembership(tally, membership)
  for (const row of await listWebhooks(ctx.db)) if (webhookIds?.has(row.id)) addWebhook(tally, toWebhook(ctx.apiKeys, row))
}

/** Calls `onRecords` with the number of records read since the last call. */
export async function tallyDataset(
  { db }: Context,
  from: SourceDataset,
  tally: Tally,
  onRecords: (count: number) => void,
): Promise<void> {
  const stored = await findDataset(db, from.dataset.id)
  if (!stored) return
  const { id } = stored
  const questions = await listQuestions(db, id)
  const vectorsSettings = await listVectorsSettings(db, id)
  const fields = await listFields(db, id)
  const metadataProperties = await listMetadataProperties(db, id)
  addDataset(tally, { dataset: toDataset(stored), fields, questions, metadataProperties, vectorsSettings })
  // Writing responses also adds annotators, so only those that the source lists are compared.
  const listed = new Set(from.annotators.map(({ user_id }) => user_id))
  const annotators = await db.sql.all<{ user_id: Id; inserted_at: string }>(
    'select user_id, inserted_at from datasets_users where dataset_id = ?',
    [id],
  )
  for (const annotator of annotators) if (listed.has(annotator.user_id)) addAnnotator(tally, id, annotator)

  const datasetNo = await findDatasetNo(db, id)
  const text = 'select no from records where dataset_no = ? and no > ? order by no limit ?'
  let last = 0
  for (;;) {
    const nos = await db.sql.column<number>(text, [datasetNo, last, RECORDS_PER_READ])
    if (nos.length === 0) return
    for (const record of await readRecords(db, nos, { questions, vectorsSettings })) addRecord(tally, id, record)
    last = nos.at(-1) as number
    onRecords(nos.length)
  }
}

interface Numbered {
  no: number
  id: Id
}

async function readRecords(
  db: Context['db'],
  nos: readonly number[],
  { questions, vectorsSettings }: { questions: readonly Numbered[]; vectorsSettings: readonly Numbered[] },
): Promise<SourceRecord[]> {
  const records = new Map<number, SourceRecord>()
  for (const { no, dataset_id: _, shuffle: __, fields, metadata, ...row } of await listRecordsByNumbers(db, nos)) {
    const content = { fields: JSON.parse(fields), metadata: metadata === null ? null : JSON.parse(metadata) }
    records.set(no, { ...row, ...content, responses: [], suggestions: [], vectors: [] })
  }
  const of = (no: number) => records.get(no) as SourceRecord
  for (const { record_no, values, status, ...response } of await listResponsesOf(db, nos, null)) {
    const record = of(record_no)
    record.responses.push({ ...response, record_id: record.id, status: status as ResponseStatus, values: JSON.parse(values) })
  }
  const questionIds = new Map(questions.map(({ no, id }) => [no, id]))
  for (const { record_no, question_no, type, value, score, ...suggestion } of await listSuggestionsOf(db, nos)) {
    const record = of(record_no)
    record.suggestions.push({
      ...suggestion,
      record_id: record.id,
      question_id: questionIds.get(question_no) as Id,
      type: type as SourceSuggestion['type'],
      value: JSON.parse(value),
      score: score === null ? null : JSON.parse(score),
    })
  }
  const settingsIds = new Map(vectorsSettings.map(({ no, id }) => [no, id]))
  for (const { record_no, vectors_settings_no, value } of await listVectorsOf(db, nos, [...settingsIds.keys()])) {
    const record = of(record_no)
    const vectors_settings_id = settingsIds.get(vectors_settings_no) as Id
    record.vectors.push({ record_id: record.id, vectors_settings_id, value: [...value] })
  }
  return [...records.values()]
}
