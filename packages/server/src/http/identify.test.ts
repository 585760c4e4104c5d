/** Reads that start with the expected actor: changes made by another process take effect immediately. */
import { CONTRACTS } from '@postil/domain/api/all'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../context.ts'
import { ROUTES } from '../features/all.ts'
import { addPublished } from '../features/datasets/testing/datasets.ts'
import { openSession } from '../features/sessions/open.ts'
import { deleteSessionsOf } from '../features/sessions/store.ts'
import { deactivateUser, reactivateUser } from '../features/users/deactivate.ts'
import { resetApiKey } from '../features/users/rotate-api-key.ts'
import { findCredentialsVersion, loadUser } from '../features/users/store.ts'
import { createEmbeddedEngine } from '../search/embedded/engine.ts'
import type { Database } from '../storage/database.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../testing/context.ts'
import { eachDatabase } from '../testing/databases.ts'
import { inProcess } from '../testing/processes.ts'
import { createAdmit } from './admit.ts'
import { buildApp } from './app.ts'
import type { Call } from './call.ts'
import { createRunCall } from './run-call.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

eachDatabase((db, openAnother) => {
  let other: Database
  let app: FastifyInstance
  /** Calls as sent to the thread that handles them. */
  let sent: Call[]
  let owner: RequestContext
  let user: RequestContext
  let workspaceId: string
  let datasetId: string
  let headers: Record<string, string>
  beforeAll(() => {
    other = openAnother()
  })
  afterAll(() => other.close())

  beforeEach(async () => {
    // Changes come from another process than the one that handles the requests.
    owner = await actAs(inProcess(opened, other), 'owner')
    workspaceId = await addWorkspace(owner)
    user = await actAs(owner, 'admin', [workspaceId])
    datasetId = (await addPublished({ owner, workspaceId })).id
    headers = { 'x-argilla-api-key': await keyOf(user) }
    sent = []
    const search = createEmbeddedEngine({ db: db(), bytesMax: 1_000_000 })
    const [ctx, runCall] = [{ ...inProcess(opened, db()), search }, createRunCall(ROUTES)]
    const dispatch = (_contract: unknown, call: Call) => {
      sent.push(call)
      return runCall(ctx, call)
    }
    app = buildApp(ctx, CONTRACTS, dispatch, { webFolder: '/nowhere', admit: createAdmit(ROUTES) })
  })
  afterEach(() => app.close())

  const keyOf = async ({ apiKeys, actor }: RequestContext) =>
    apiKeys.decrypt((await loadUser(other, actor.id)).api_key_encrypted) as string
  const list = async () => (await app.inject({ url: `/api/v1/datasets/${datasetId}/records`, headers })).statusCode
  const count = async () => {
    const payload = '{}'
    const url = `/api/v1/me/datasets/${datasetId}/records/counts`
    const type = { 'content-type': 'application/json' }
    return (await app.inject({ method: 'POST', url, payload, headers: { ...headers, ...type } })).statusCode
  }
  const expectations = () => sent.map(call => call.expected?.kind)
  const isEarly = () => db().dialect.name === 'postgres'

  async function signIn(): Promise<void> {
    const credentials_version = (await findCredentialsVersion(other, user.actor.id)) ?? 0
    const { secret } = await openSession(user, { user_id: user.actor.id, credentials_version })
    headers = { cookie: `postil_session=${secret}`, 'x-postil-csrf': '1' }
  }

  describe.each([
    { what: 'an API key', kind: 'api-key', prepare: async () => {} },
    { what: 'a session', kind: 'session', prepare: signIn },
  ])('with $what', ({ kind, prepare }) => {
    beforeEach(async () => {
      await prepare()
      for (let time = 0; time < 3; time++) expect(await list()).toBe(200)
    })

    test('the second request begins before the credentials are looked up, where that is a round trip', () => {
      expect(expectations()).toEqual(isEarly() ? [undefined, kind, kind] : [undefined, undefined, undefined])
    })

    test('a deactivated user is refused at once, and served at once when they are back', async () => {
      await deactivateUser(owner, user.actor.id)
      expect([await list(), await count(), await list()]).toEqual([401, 401, 401])
      await reactivateUser(owner, user.actor.id)
      // Deactivation has ended the session.
      expect(await list()).toBe(kind === 'session' ? 401 : 200)
    })

    test('a change of workspaces or role counts at once', async () => {
      await other.sql.run('delete from workspaces_users where user_id = ?', [user.actor.id])
      expect([await list(), await count()]).toEqual([403, 403])
      const row = { workspace_id: workspaceId, user_id: user.actor.id, inserted_at: owner.now() }
      await other.kysely.insertInto('workspaces_users').values(row).execute()
      expect([await list(), await count()]).toEqual([200, 200])
      await other.sql.run("update users set role = 'annotator' where id = ?", [user.actor.id])
      expect([await list(), await count()]).toEqual([403, 200])
    })

    test('a request in the name of another user is refused', async () => {
      headers = { ...headers, 'x-postil-user': owner.actor.id }
      expect(await list()).toBe(409)
      headers = { ...headers, 'x-postil-user': user.actor.id }
      expect(await list()).toBe(200)
    })

    test('an invalid request is refused', async () => {
      const url = `/api/v1/datasets/${datasetId}/records?limit=many`
      expect((await app.inject({ url, headers })).statusCode).toBe(422)
      await deactivateUser(owner, user.actor.id)
      expect((await app.inject({ url, headers })).statusCode).toBe(401)
    })
  })

  test('a key that was replaced opens nothing', async () => {
    expect([await list(), await list()]).toEqual([200, 200])
    await resetApiKey(owner, user.actor.id)
    expect([await list(), await list()]).toEqual([401, 401])
    headers = { 'x-argilla-api-key': await keyOf(user) }
    expect(await list()).toBe(200)
  })

  test('a session that has ended opens nothing, and one without the header opens nothing that is not a plain read', async () => {
    await signIn()
    expect([await list(), await count(), await count()]).toEqual([200, 200, 200])
    const { 'x-postil-csrf': _, ...cookie } = headers
    headers = cookie
    expect([await list(), await count()]).toEqual([200, 403])
    await deleteSessionsOf(other, user.actor.id, { except: null })
    expect([await list(), await count()]).toEqual([401, 401])
  })
})
