/** For every route that changes a dataset, its entry in the change log. The other routes are listed with the reason. */
import { CONTRACTS } from '@postil/domain/api/all'
import { FEED_NAMES, type FeedPage, feedSchema } from '@postil/domain/change-feed'
import type { ChangeName } from '@postil/domain/events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unpackNumbers } from '../../packages/server/src/lib/packed-numbers.ts'
import { runRows } from '../databases/rows.ts'
import { expectShape } from './answers.ts'
import { openWorld, type World } from './http.ts'
import { toRequest } from './route-case.ts'
import { CASES } from './route-cases.ts'

const SETTINGS: ChangeName[] = ['settings.updated']
const COMPLETED: ChangeName[] = ['record.updated', 'record.completed', 'response.created']

/** Entries that a request appends, by route. */
const LOGGED: Record<string, ChangeName[]> = {
  createDataset: ['dataset.created'],
  updateDataset: ['dataset.updated'],
  publishDataset: ['dataset.published'],
  deleteDataset: ['dataset.deleted'],
  createField: SETTINGS,
  updateField: SETTINGS,
  deleteField: SETTINGS,
  deleteDatasetField: SETTINGS,
  createQuestion: SETTINGS,
  updateQuestion: SETTINGS,
  deleteQuestion: SETTINGS,
  deleteDatasetQuestion: SETTINGS,
  setQuestionRequired: SETTINGS,
  setQuestionsOrder: SETTINGS,
  addQuestionOptions: SETTINGS,
  migrateQuestionOption: SETTINGS,
  createMetadataProperty: SETTINGS,
  updateMetadataProperty: SETTINGS,
  deleteMetadataProperty: SETTINGS,
  createVectorsSettings: SETTINGS,
  updateVectorsSettings: SETTINGS,
  deleteVectorsSettings: SETTINGS,
  createRecordsBulk: ['record.created'],
  upsertRecordsBulk: ['record.created'],
  createRecords: ['record.created'],
  updateRecords: ['record.updated'],
  updateRecord: ['record.updated'],
  deleteRecords: ['record.deleted'],
  deleteRecord: ['record.deleted'],
  createResponse: COMPLETED,
  createMyResponse: COMPLETED,
  upsertMyResponsesBulk: COMPLETED,
  updateResponse: ['response.updated'],
  deleteResponse: ['record.updated', 'response.deleted'],
  upsertSuggestion: ['suggestion.updated'],
  createSuggestion: ['suggestion.updated'],
  deleteSuggestions: ['suggestion.deleted'],
  deleteSuggestion: ['suggestion.deleted'],
  flagRecord: ['flag.created'],
  unflagRecord: ['flag.deleted'],
  createRecordComment: ['comment.created'],
  deleteRecordComment: ['comment.deleted'],
}

const USERS = 'users belong to no dataset'
const SESSIONS = 'sessions belong to no dataset'
const WEBHOOKS = 'webhooks belong to no dataset'
const FILES = 'files change nothing of a dataset'
const MEMBERS = 'who may see a dataset is asked with each request'

/** Reason for not appending an entry, by route. */
const NOT_LOGGED: Record<string, string> = {
  createToken: SESSIONS,
  createSession: SESSIONS,
  createOAuthSession: SESSIONS,
  deleteSession: SESSIONS,
  deleteMySession: SESSIONS,
  createUser: USERS,
  updateUser: 'only a user who responded or commented leaves entries, when their names change: users/pseudonym.test.ts',
  changeMyPassword: USERS,
  rotateMyApiKey: USERS,
  resetUserApiKey: USERS,
  deactivateUser: USERS,
  reactivateUser: USERS,
  deleteUser:
    'only a user with responses, flags or comments leaves entries, in the datasets of these: users/delete.test.ts, pseudonym.test.ts',
  createInvitation: USERS,
  revokeInvitation: USERS,
  lookUpInvitation: USERS,
  acceptInvitation: USERS,
  createWorkspace: 'a workspace begins without datasets',
  deleteWorkspace: 'a workspace with datasets cannot be deleted',
  addWorkspaceUser: MEMBERS,
  removeWorkspaceUser: MEMBERS,
  createBulkJob: 'the job logs what it changes, piece by piece: bulk-jobs.test.ts',
  deleteRecordsByFilter: 'the job logs what it deletes, piece by piece: delete-records.test.ts',
  undoBulkJob: 'the job logs what it changes, piece by piece',
  shareMyProgress: 'changes nothing of the dataset',
  streamExport: 'changes nothing of the dataset',
  createWebhook: WEBHOOKS,
  updateWebhook: WEBHOOKS,
  deleteWebhook: WEBHOOKS,
  pingWebhook: WEBHOOKS,
  rotateWebhookSecret: WEBHOOKS,
  resendWebhookDelivery: WEBHOOKS,
  cancelBulkJob: 'changes no record: what the job has done stays',
  importFromHub: 'the job logs what it changes, batch by batch: hub-import.test.ts',
  exportToHub: 'changes nothing of the dataset',
  createExport: FILES,
  cancelExport: FILES,
  createUpload: FILES,
  putUploadContent: FILES,
  deleteUpload: FILES,
  createImport: 'the job logs what it changes, batch by batch',
  cancelImport: 'changes no record: what the job has done stays',
  retryJob: 'the job logs what it changes, piece by piece',
  cancelJob: 'changes no record: what the job has done stays',
}

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await world?.close()
})

interface Entry {
  key: string
  event: ChangeName
  actor_id: string | null
  bytes: number
}

const listEntries = () =>
  runRows<Entry>(
    world.server,
    `select dataset_id || ' ' || change_no as key, event, actor_id, coalesce(length(record_nos), 0) as bytes
     from changes order by dataset_id, change_no`,
  )

test('every route that writes is listed', () => {
  const writes = CONTRACTS.filter(
    ({ method, runs, endsOnWriter }) => runs === 'writer' || endsOnWriter || (method !== 'GET' && runs === 'here'),
  )
  const listed = [...Object.keys(LOGGED), ...Object.keys(NOT_LOGGED)]
  expect(listed.toSorted()).toEqual(writes.map(({ id }) => id).toSorted())
})

test.each(Object.entries(LOGGED))('%s logs %j', async (id, events) => {
  const contract = CONTRACTS.find(route => route.id === id)
  const request = await CASES[id]?.request(world)
  if (!contract || !request) throw new Error(`No case for ${id}`)
  const before = new Set((await listEntries()).map(({ key }) => key))
  await world.owner.done(toRequest(contract, request), request.body)

  const added = (await listEntries()).filter(({ key }) => !before.has(key))
  expect(added.map(({ event }) => event)).toEqual(events)
  expect(new Set(added.map(({ actor_id }) => actor_id))).toEqual(new Set([world.owner.id]))
  // Settings and dataset events do not refer to records; all others do.
  for (const { event, bytes } of added) expect(bytes > 0).toBe(!/^(dataset|settings)\./.test(event))
})

test('the numbers of every dataset have no gaps, and its head has the last one and the totals', async () => {
  const heads = await runRows<Record<string, number>>(
    world.server,
    `select h.change_no, h.records_count, h.completed_count,
         (select count(*) from changes where dataset_id = h.dataset_id) as entries,
         (select max(change_no) from changes where dataset_id = h.dataset_id) as last,
         (select count(*) from records where dataset_no = h.no) as records,
         (select count(*) from records where dataset_no = h.no and status = 'completed') as completed
       from dataset_heads h join datasets d on d.id = h.dataset_id where d.inserted_at >= ?`,
    [world.since],
  )
  expect(heads.length).toBeGreaterThan(30)
  for (const { change_no, records_count, completed_count, ...counted } of heads) {
    const expected = { entries: change_no, last: change_no, records: records_count, completed: completed_count }
    expect(counted).toEqual(expected)
  }
})

test('the change feed has every entry of every dataset, with the properties of its event', async () => {
  // The owner has responded, so datasets show their name.
  await world.owner.done(`PATCH /users/${world.owner.id}`, { first_name: 'Renamed' })
  const ids = await runRows<{ id: string }>(world.server, 'select id from datasets where inserted_at >= ?', [world.since])
  const seen = new Set<ChangeName>()
  for (const { id } of ids) {
    const { items, next, head } = await world.owner.done<FeedPage>(`GET /datasets/${id}/events?limit=1000`)
    expect([next, head]).toEqual([items.length, items.length])
    const text = 'select change_no, event, actor_id, inserted_at, record_nos from changes where dataset_id = ? order by 1'
    const stored = await runRows<Record<string, unknown>>(world.server, text, [id])
    const expected = stored.map(({ record_nos, ...entry }) => ({
      ...entry,
      records: record_nos === null ? 0 : unpackNumbers(record_nos as Uint8Array).length,
    }))
    const read = items.map(({ change_no, event, actor_id, inserted_at, record_ids }) => ({
      change_no,
      event,
      actor_id,
      inserted_at,
      records: new Set(record_ids).size,
    }))
    expect(read).toEqual(expected)
    for (const item of items) {
      expectShape(feedSchema(item.event), item)
      seen.add(item.event)
    }
  }
  // The feed of a deleted dataset cannot be read; the others need a job or a command.
  const unseen = new Set<ChangeName>(['dataset.deleted', 'dataset.indexed', 'user.deleted'])
  expect(seen).toEqual(new Set(FEED_NAMES.filter(name => !unseen.has(name))))
})
