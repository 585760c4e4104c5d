/** Every route that writes says which entry it leaves in the audit log, or why none. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CONTRACTS } from '@postil/domain/api/all'
import type { AuditAction, AuditEntry, AuditPage } from '@postil/domain/audit-log'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { aDataset, aRecord, SMALL, submitted } from './datasets.ts'
import { ALL_ON, aUser, openWorld, type World } from './http.ts'
import { toRequest } from './route-case.ts'
import { CASES } from './route-cases.ts'

/** Route -> the actions of the entries that its request adds. */
const AUDITED: Record<string, AuditAction[]> = {
  createToken: ['user.signed_in'],
  createSession: ['user.signed_in'],
  deleteMySession: ['user.session_ended'],
  changeMyPassword: ['user.password_changed'],
  rotateMyApiKey: ['user.api_key_rotated'],
  createUser: ['user.created'],
  updateUser: ['user.updated'],
  deleteUser: ['user.deleted'],
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
  createMetadataProperty: ['metadata_property.created'],
  updateMetadataProperty: ['metadata_property.updated'],
  deleteMetadataProperty: ['metadata_property.deleted'],
  createVectorsSettings: ['vectors_settings.created'],
  updateVectorsSettings: ['vectors_settings.updated'],
  deleteVectorsSettings: ['vectors_settings.deleted'],
  deleteRecords: ['dataset.records_deleted'],
  deleteRecord: ['dataset.records_deleted'],
  shareMyProgress: ['dataset.progress_shared'],
}

const CONTENT = 'adding and changing content is in the change log of the dataset'
const OWN = 'the history of responses holds what people did with their own; of others: below'
const NOTES = 'flags and comments are people’s own; deleting comments of others: below'

/** Route -> why it leaves no entry. */
const NOT_AUDITED: Record<string, string> = {
  deleteSession: 'without the cookie of a session nobody signs out; with one: below',
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
  flagRecord: NOTES,
  unflagRecord: NOTES,
  createRecordComment: NOTES,
  deleteRecordComment: NOTES,
}

let world: World
let db: DatabaseSync
beforeAll(async () => {
  world = await openWorld({ ...ALL_ON, SERVICE_TRUSTED_PROXIES: 'loopback' })
  db = new DatabaseSync(join(world.server.home, 'postil.db'), { readOnly: true })
})
afterAll(async () => {
  db?.close()
  await world?.close()
})

interface Entry {
  no: number
  action: AuditAction
  actor_id: string | null
  target_id: string | null
  address: string | null
  details: string
}
const listEntries = (after: number) =>
  db
    .prepare('select no, action, actor_id, target_id, address, details from audit_entries where no > ? order by no')
    .all(after) as unknown as Entry[]
const lastNo = () => Number(db.prepare('select coalesce(max(no), 0) as no from audit_entries').get()?.no)
/** Sign-ins are written a moment later. */
const waitForEntries = (after: number, count: number) =>
  vi.waitFor(
    () => {
      const entries = listEntries(after)
      expect(entries.length).toBeGreaterThanOrEqual(count)
      return entries
    },
    { timeout: 20_000, interval: 100 },
  )

test('every route that writes is listed', () => {
  const writes = CONTRACTS.filter(
    ({ method, runs, endsOnWriter }) => runs === 'writer' || endsOnWriter || (method !== 'GET' && runs !== 'reader'),
  )
  const listed = [...Object.keys(AUDITED), ...Object.keys(NOT_AUDITED)]
  expect(listed.toSorted()).toEqual(writes.map(({ id }) => id).toSorted())
})

async function runCase(id: string): Promise<number> {
  const contract = CONTRACTS.find(route => route.id === id)
  const request = await CASES[id]?.request(world)
  if (!contract || !request) throw new Error(`No case for ${id}`)
  const before = lastNo()
  await world.owner.done(toRequest(contract, request), request.body)
  return before
}

test.each(Object.entries(AUDITED))('%s adds %j', async (id, actions) => {
  const before = await runCase(id)
  const added = await waitForEntries(before, actions.length)
  expect(added.map(({ action }) => action)).toEqual(actions)
  for (const { actor_id, target_id, address } of added) {
    expect({ actor_id, target_id, address }).toEqual({
      actor_id: world.owner.id,
      target_id: expect.any(String),
      address: '127.0.0.1',
    })
  }
})

test.each(Object.keys(NOT_AUDITED))('%s adds nothing', async id => {
  const before = await runCase(id)
  expect(listEntries(before)).toEqual([])
})

describe('what is noted', () => {
  const list = async (query: string) => (await world.owner.done<AuditPage>(`GET /audit-log?${query}`)).items
  const tokenOf = (username: string, password: string, address: string) => {
    const body = new URLSearchParams({ username, password })
    return world.nobody.send('POST /token', body, { 'x-forwarded-for': address })
  }

  test('a failed sign-in with the client’s address, without the password, and without a name that is not a user', async () => {
    const { id } = await aUser(world.server.url, world.owner, 'annotator', { username: 'known-name' })
    const before = lastNo()
    expect((await tokenOf('known-name', 'guessed-secret', '198.51.100.7')).status).toBe(401)
    expect((await tokenOf('typed-secret', 'guessed-secret', '198.51.100.8')).status).toBe(401)
    const added = await waitForEntries(before, 2)
    expect(added).toMatchObject([
      { action: 'user.sign_in_failed', actor_id: null, target_id: id, address: '198.51.100.7' },
      { action: 'user.sign_in_failed', actor_id: null, target_id: null, address: '198.51.100.8' },
    ])
    expect(added.map(({ details }) => JSON.parse(details).reason)).toEqual(['wrong_password', 'unknown_user'])
    expect(JSON.stringify(added)).not.toMatch(/secret/)
  })

  test('a wrong current password', async () => {
    const before = lastNo()
    const body = { current_password: 'guessed-secret', new_password: 'guessed-secret' }
    expect((await world.memberAnnotator.send('PUT /me/password', body)).status).toBe(422)
    const [entry] = await waitForEntries(before, 1)
    expect(entry).toMatchObject({ action: 'user.password_change_failed', actor_id: world.memberAnnotator.id })
    expect(JSON.stringify(entry)).not.toMatch(/secret/)
  })

  test('signing out', async () => {
    const { server, nobody, owner } = world
    const opened = await nobody.send('POST /session', { username: server.username, password: server.password })
    const cookie = opened.headers
      .getSetCookie()
      .map(text => text.split(';')[0])
      .join('; ')
    const before = lastNo()
    expect((await nobody.send('DELETE /session', undefined, { cookie })).status).toBe(204)
    expect(listEntries(before)).toMatchObject([{ action: 'user.signed_out', actor_id: owner.id, target_id: owner.id }])
  })

  test('which properties of a user changed, and a password without its value', async () => {
    const { id } = await aUser(world.server.url, world.owner, 'annotator', { username: 'was-called' })
    const changes = { role: 'admin', username: 'is-called', first_name: 'Nadia', password: 'a-new-secret' }
    await world.owner.done(`PATCH /users/${id}`, changes)
    const entries = await list(`target_id=${id}`)
    expect(entries.map(({ action }) => action)).toEqual(['user.updated', 'user.password_changed', 'user.created'])
    expect(entries[0]).toMatchObject({
      actor: { id: world.owner.id, username: world.owner.username },
      target: { type: 'user', id, name: 'is-called' },
      details: {
        changed: ['first_name', 'role', 'username'],
        role: { from: 'annotator', to: 'admin' },
        username: { from: 'was-called', to: 'is-called' },
      },
    })
    expect(JSON.stringify(entries)).not.toMatch(/secret/)
    // Names stay as they were, also when the user is gone.
    await world.owner.done(`DELETE /users/${id}`)
    expect(await list(`target_id=${id}&action=user.created&action=user.deleted`)).toMatchObject([
      { action: 'user.deleted', target: { name: 'is-called' } },
      { action: 'user.created', target: { name: 'was-called' } },
    ])
  })

  test('a changed distribution and how many records were deleted', async () => {
    const dataset = await aDataset(world, SMALL)
    const record = await aRecord(world, dataset)
    const distribution = { strategy: 'overlap', min_submitted: 3 }
    await world.owner.done(`PATCH /datasets/${dataset.id}`, { distribution, guidelines: 'Be kind' })
    await world.owner.done(`PATCH /datasets/${dataset.id}`, { distribution })
    await world.owner.done(`DELETE /datasets/${dataset.id}/records?ids=${record.id}`)
    await world.owner.done(`DELETE /datasets/${dataset.id}`)
    const entries = await list(`target_id=${dataset.id}&target_type=dataset`)
    expect(entries.map(({ action, workspace_id, details }) => ({ action, workspace_id, details }))).toMatchObject([
      { action: 'dataset.deleted', details: { records: 0 } },
      { action: 'dataset.records_deleted', workspace_id: world.workspaceId, details: { count: 1 } },
      {
        action: 'dataset.updated',
        details: {
          changed: ['distribution', 'guidelines'],
          distribution: { from: { strategy: 'overlap', min_submitted: 1 }, to: distribution },
        },
      },
      { action: 'dataset.published' },
      { action: 'dataset.created' },
    ])
  })

  test('what is done to responses and comments of others', async () => {
    const { memberAnnotator, memberAdmin } = world
    const { id: recordId } = await aRecord(world, await aDataset(world, SMALL))
    const comment = await memberAnnotator.done<{ id: string }>(`POST /records/${recordId}/comments`, { body: 'Why?' })
    const response = await memberAnnotator.done<{ id: string }>(`POST /records/${recordId}/responses`, submitted())
    const before = lastNo()
    await memberAnnotator.done(`PUT /responses/${response.id}`, submitted())
    expect(listEntries(before)).toEqual([])
    await memberAdmin.done(`PUT /responses/${response.id}`, submitted())
    await memberAdmin.done(`DELETE /responses/${response.id}`)
    await memberAdmin.done(`DELETE /comments/${comment.id}`)
    const added = listEntries(before)
    expect(added).toMatchObject([
      { action: 'response.updated', actor_id: memberAdmin.id, target_id: response.id },
      { action: 'response.deleted', actor_id: memberAdmin.id, target_id: response.id },
      { action: 'comment.deleted', actor_id: memberAdmin.id, target_id: comment.id },
    ])
    for (const { details } of added)
      expect(JSON.parse(details)).toMatchObject({ user_id: memberAnnotator.id, record_id: recordId })
  })

  test('the first start: the schema and the first owner', async () => {
    const entries = await list('until=now&limit=500&action=server.migrated&action=user.created')
    const oldest: AuditEntry[] = entries.slice(-2)
    expect(oldest).toMatchObject([
      {
        action: 'user.created',
        actor: null,
        target: { name: world.owner.username },
        details: { command: 'start', role: 'owner' },
      },
      { action: 'server.migrated', actor: null, target: null, details: { command: 'start', from: 'base' } },
    ])
  })
})

describe('the list', () => {
  test('names actions when one is unknown', async () => {
    const { status, text } = await world.owner.send('GET /audit-log?action=user.vanished')
    expect({ status, text }).toEqual({ status: 422, text: expect.stringContaining('must be one of: user.signed_in, ') })
  })

  test.each([
    ['before=nonsense', '`before` must be the value of `next` in an earlier answer'],
    ['since=nonsense', '`nonsense` is not a date'],
  ])('refuses %s and says what would be right', async (query, message) => {
    const { status, text } = await world.owner.send(`GET /audit-log?${query}`)
    expect({ status, text }).toEqual({ status: 422, text: expect.stringContaining(message) })
  })

  test('comes in pages without gaps or repetitions', async () => {
    const whole = await world.owner.done<AuditPage>('GET /audit-log?until=now&limit=30')
    const until = whole.items[0]?.inserted_at
    const found: AuditEntry[] = []
    let next: string | null = null
    do {
      const before: string = next === null ? '' : `&before=${encodeURIComponent(next)}`
      const page: AuditPage = await world.owner.done<AuditPage>(`GET /audit-log?until=${until}&limit=7${before}`)
      found.push(...page.items)
      next = page.next
    } while (next !== null && found.length < 30)
    expect(found.slice(0, 30)).toEqual(whole.items)
  })
})
