/** For every writing route, its audit log entry or the reason why there is none. */
import { CONTRACTS } from '@postil/domain/api/all'
import type { AuditAction } from '@postil/domain/audit-log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuditEntries, openAuditEntries } from './audit-entries.ts'
import { openWorld, type World } from './http.ts'
import { toRequest } from './route-case.ts'
import { CASES } from './route-cases.ts'

/** Actions of the entries that a request adds, by route. */
const AUDITED: Record<string, AuditAction[]> = {
  createToken: ['user.signed_in'],
  createSession: ['user.signed_in'],
  createOAuthSession: ['user.created', 'user.signed_in'],
  deleteMySession: ['user.session_ended'],
  changeMyPassword: ['user.password_changed'],
  rotateMyApiKey: ['user.api_key_rotated'],
  createUser: ['user.created'],
  updateUser: ['user.updated'],
  resetUserApiKey: ['user.api_key_rotated'],
  deactivateUser: ['user.deactivated'],
  reactivateUser: ['user.reactivated'],
  deleteUser: ['user.deleted'],
  createInvitation: ['invitation.created'],
  revokeInvitation: ['invitation.revoked'],
  acceptInvitation: ['user.created', 'user.signed_in'],
  createWorkspace: ['workspace.created'],
  deleteWorkspace: ['workspace.deleted'],
  addWorkspaceUser: ['workspace.user_added'],
  removeWorkspaceUser: ['workspace.user_removed'],
  createDataset: ['dataset.created'],
  updateDataset: ['dataset.updated'],
  publishDataset: ['dataset.published'],
  deleteDataset: ['dataset.deleted'],
  createField: ['field.created'],
  updateField: ['field.updated'],
  deleteField: ['field.deleted'],
  deleteDatasetField: ['field.deleted'],
  createQuestion: ['question.created'],
  updateQuestion: ['question.updated'],
  deleteQuestion: ['question.deleted'],
  deleteDatasetQuestion: ['question.deleted'],
  setQuestionRequired: ['question.updated'],
  setQuestionsOrder: ['dataset.updated'],
  addQuestionOptions: ['question.updated'],
  migrateQuestionOption: ['question.updated'],
  createMetadataProperty: ['metadata_property.created'],
  updateMetadataProperty: ['metadata_property.updated'],
  deleteMetadataProperty: ['metadata_property.deleted'],
  createVectorsSettings: ['vectors_settings.created'],
  updateVectorsSettings: ['vectors_settings.updated'],
  deleteVectorsSettings: ['vectors_settings.deleted'],
  deleteRecords: ['dataset.records_deleted'],
  deleteRecord: ['dataset.records_deleted'],
  deleteRecordsByFilter: ['dataset.records_deleted'],
  createWebhook: ['webhook.created'],
  updateWebhook: ['webhook.updated'],
  deleteWebhook: ['webhook.deleted'],
  rotateWebhookSecret: ['webhook.secret_rotated'],
  resendWebhookDelivery: ['webhook.delivery_resent'],
  importFromHub: ['dataset.imported'],
  exportToHub: ['dataset.exported'],
  createExport: ['dataset.file_exported'],
  streamExport: ['dataset.file_exported'],
  cancelExport: ['job.canceled'],
  createImport: ['dataset.file_imported'],
  cancelImport: ['job.canceled'],
  retryJob: ['job.retried'],
  cancelJob: ['job.canceled'],
  shareMyProgress: ['dataset.progress_shared'],
}

/** Routes that create a user without a signed-in user. */
const NEWCOMERS = ['createOAuthSession', 'acceptInvitation']

const CONTENT = 'adding and changing content is in the change log of the dataset'
const OWN = 'the history of responses holds what people did with their own; of others: audit-log-details.test.ts'
const FILES = 'what is made of a file is in the log'
const NOTES = 'flags and comments are people’s own; deleting comments of others: audit-log-details.test.ts'

/** Reason for not writing an entry, by route. */
const NOT_AUDITED: Record<string, string> = {
  deleteSession: 'without the cookie of a session nobody signs out; with one: audit-log-details.test.ts',
  lookUpInvitation: 'changes nothing',
  createRecordsBulk: CONTENT,
  upsertRecordsBulk: CONTENT,
  createRecords: CONTENT,
  updateRecords: CONTENT,
  updateRecord: CONTENT,
  upsertSuggestion: CONTENT,
  createSuggestion: CONTENT,
  deleteSuggestions: CONTENT,
  deleteSuggestion: CONTENT,
  createResponse: OWN,
  createMyResponse: OWN,
  upsertMyResponsesBulk: OWN,
  updateResponse: OWN,
  deleteResponse: OWN,
  createBulkJob: OWN,
  undoBulkJob: OWN,
  cancelBulkJob: OWN,
  pingWebhook: 'changes nothing',
  flagRecord: NOTES,
  unflagRecord: NOTES,
  createRecordComment: NOTES,
  deleteRecordComment: NOTES,
  createUpload: FILES,
  putUploadContent: FILES,
  deleteUpload: FILES,
}

let world: World
let entries: AuditEntries
beforeAll(async () => {
  world = await openWorld()
  entries = openAuditEntries(world, [world.address])
})
afterAll(async () => {
  await world?.close()
})

test('every route that writes is listed', () => {
  const writes = CONTRACTS.filter(
    ({ method, runs, endsOnWriter }) => runs === 'writer' || endsOnWriter || (method !== 'GET' && runs === 'here'),
  )
  const listed = [...Object.keys(AUDITED), ...Object.keys(NOT_AUDITED)]
  expect(listed.toSorted()).toEqual(writes.map(({ id }) => id).toSorted())
})

async function runCase(id: string): Promise<number> {
  const contract = CONTRACTS.find(route => route.id === id)
  const request = await CASES[id]?.request(world)
  if (!contract || !request) throw new Error(`No case for ${id}`)
  const before = await entries.lastNo()
  const { status, text } = await world.owner.send(toRequest(contract, request), request.body, request.headers)
  if (status > 299) throw new Error(`${id} -> ${status} ${text}`)
  return before
}

test.each(Object.entries(AUDITED))('%s adds %j', async (id, actions) => {
  const before = await runCase(id)
  const added = await entries.wait(before, actions.length)
  expect(added.map(({ action }) => action)).toEqual(actions)
  for (const { target_id, address } of added) expect([target_id, address]).toEqual([expect.any(String), world.address])
  // The new user, named by the provider or invited. Nobody was signed in when the user was created.
  const newcomer = [null, added[0]?.target_id]
  const actors = NEWCOMERS.includes(id) ? newcomer : added.map(() => world.owner.id)
  expect(added.map(({ actor_id }) => actor_id)).toEqual(actors)
})

test.each(Object.keys(NOT_AUDITED))('%s adds nothing', async id => {
  const before = await runCase(id)
  expect(await entries.list(before)).toEqual([])
})
