/** Contents of audit log entries, and how they are listed. */
import type { AuditEntry, AuditPage } from '@postil/domain/audit-log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuditEntries, openAuditEntries } from './audit-entries.ts'
import { aDataset, aRecord, SMALL, submitted } from './datasets.ts'
import { aUser, openWorld, type World } from './http.ts'

/** Of people who cannot sign in. */
const FOREIGN = ['198.51.100.7', '198.51.100.8']

let world: World
let entries: AuditEntries
beforeAll(async () => {
  world = await openWorld()
  entries = openAuditEntries(world, [world.address, ...FOREIGN])
})
afterAll(async () => {
  await world?.close()
})

describe('entries', () => {
  const list = async (query: string) => (await world.owner.done<AuditPage>(`GET /audit-log?${query}`)).items
  const tokenOf = (username: string, password: string, address = '') => {
    const body = new URLSearchParams({ username, password })
    return world.nobody.send('POST /token', body, { 'x-forwarded-for': address })
  }

  test('a failed sign-in with the client’s address, without the password, and without a name that is not a user', async () => {
    const { id } = await aUser(world.server.url, world.owner, 'annotator', { username: 'known-name' })
    const before = await entries.lastNo()
    expect((await tokenOf('known-name', 'guessed-secret', FOREIGN[0])).status).toBe(401)
    expect((await tokenOf('typed-secret', 'guessed-secret', FOREIGN[1])).status).toBe(401)
    const added = await entries.wait(before, 2)
    expect(added).toMatchObject([
      { action: 'user.sign_in_failed', actor_id: null, target_id: id, address: FOREIGN[0] },
      { action: 'user.sign_in_failed', actor_id: null, target_id: null, address: FOREIGN[1] },
    ])
    expect(added.map(({ details }) => JSON.parse(details).reason)).toEqual(['wrong_password', 'unknown_user'])
    expect(JSON.stringify(added)).not.toMatch(/secret/)
  })

  test('a wrong current password', async () => {
    const before = await entries.lastNo()
    const body = { current_password: 'guessed-secret', new_password: 'guessed-secret' }
    expect((await world.memberAnnotator.send('PUT /me/password', body)).status).toBe(422)
    const [entry] = await entries.wait(before, 1)
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
    const before = await entries.lastNo()
    expect((await nobody.send('DELETE /session', undefined, { cookie })).status).toBe(204)
    expect(await entries.list(before)).toMatchObject([{ action: 'user.signed_out', actor_id: owner.id, target_id: owner.id }])
  })

  test('which properties of a user changed, and a password without its value', async () => {
    const { id } = await aUser(world.server.url, world.owner, 'annotator', { username: 'was-called' })
    const changes = { role: 'admin', username: 'is-called', first_name: 'Nadia', password: 'a-new-secret' }
    await world.owner.done(`PATCH /users/${id}`, changes)
    const listed = await list(`target_id=${id}`)
    expect(listed.map(({ action }) => action)).toEqual(['user.updated', 'user.password_changed', 'user.created'])
    expect(listed[0]).toMatchObject({
      actor: { id: world.owner.id, username: world.owner.username },
      target: { type: 'user', id, name: 'is-called' },
      details: {
        changed: ['first_name', 'role', 'username'],
        role: { from: 'annotator', to: 'admin' },
        username: { from: 'was-called', to: 'is-called' },
      },
    })
    expect(JSON.stringify(listed)).not.toMatch(/secret/)
    // Entries keep the old names, even after the user is deleted.
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
    const listed = await list(`target_id=${dataset.id}&target_type=dataset`)
    expect(listed.map(({ action, workspace_id, details }) => ({ action, workspace_id, details }))).toMatchObject([
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
    const before = await entries.lastNo()
    await memberAnnotator.done(`PUT /responses/${response.id}`, submitted())
    expect(await entries.list(before)).toEqual([])
    await memberAdmin.done(`PUT /responses/${response.id}`, submitted())
    await memberAdmin.done(`DELETE /responses/${response.id}`)
    await memberAdmin.done(`DELETE /comments/${comment.id}`)
    const added = await entries.list(before)
    expect(added).toMatchObject([
      { action: 'response.updated', actor_id: memberAdmin.id, target_id: response.id },
      { action: 'response.deleted', actor_id: memberAdmin.id, target_id: response.id },
      { action: 'comment.deleted', actor_id: memberAdmin.id, target_id: comment.id },
    ])
    for (const { details } of added)
      expect(JSON.parse(details)).toMatchObject({ user_id: memberAnnotator.id, record_id: recordId })
  })

  test('the first start: the schema and the first owner', async () => {
    const [first] = (await world.owner.done<{ items: { id: string; username: string }[] }>('GET /users')).items
    const created = await list(`target_id=${first?.id}&action=user.created`)
    expect(created).toMatchObject([
      { actor: null, target: { name: first?.username }, details: { command: 'start', role: 'owner' } },
    ])
    expect(await list('until=now&limit=500&action=server.migrated')).toMatchObject([
      { actor: null, target: null, details: { command: 'start', from: 'base' } },
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
