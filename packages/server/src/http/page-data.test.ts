/** The data embedded in a page belongs to the user who requests it, and record content in it cannot become markup. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CONTRACTS } from '@postil/domain/api/all'
import { firstCallsOf } from '@postil/domain/api/first-calls'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../context.ts'
import { ROUTES } from '../features/all.ts'
import { addPublished } from '../features/datasets/testing/datasets.ts'
import { openSession } from '../features/sessions/open.ts'
import { deleteSessionsOf } from '../features/sessions/store.ts'
import { findCredentialsVersion, loadUser } from '../features/users/store.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../testing/context.ts'
import { createAdmit } from './admit.ts'
import { buildApp, type Dispatch } from './app.ts'
import { createRunCall } from './run-call.ts'

const HOSTILE = `</script><script>alert(1)</script><!-- <script> ]]> & " \u2028 \u2029 \ud83d\ude00`
const PAGE = '<!doctype html><title>Postil</title><body></body></html>'

const folder = mkdtempSync(join(tmpdir(), 'postil-page-data-'))
writeFileSync(join(folder, 'index.html'), PAGE)
afterAll(() => rmSync(folder, { recursive: true }))

let ctx: TestContext
let app: FastifyInstance
let datasetId: string
let member: RequestContext
let outsider: RequestContext

const runCall = createRunCall(ROUTES)
const openApp = (dispatch: Dispatch, pageData: { timeoutMs: number }) =>
  buildApp(ctx, CONTRACTS, dispatch, { webFolder: folder, admit: createAdmit(ROUTES), pageData })

beforeAll(async () => {
  ctx = await openTestContext()
  const owner = await actAs(ctx, 'owner')
  const workspaceId = await addWorkspace(ctx)
  member = await actAs(ctx, 'annotator', [workspaceId])
  outsider = await actAs(ctx, 'annotator')
  datasetId = (await addPublished({ owner, workspaceId })).id
  app = openApp((_contract, call) => runCall(ctx, call), { timeoutMs: 600_000 })
  const added = await app.inject({
    method: 'POST',
    url: `/api/v1/datasets/${datasetId}/records/bulk`,
    headers: { 'x-argilla-api-key': ctx.apiKeys.decrypt((await loadUser(ctx.db, owner.actor.id)).api_key_encrypted ?? '') },
    payload: { items: [{ fields: { text: HOSTILE } }, { fields: { text: 'second' } }] },
  })
  expect(added.statusCode).toBe(201)
})

afterAll(async () => {
  await app.close()
  await ctx.close()
})

async function signIn(person: RequestContext): Promise<Record<string, string>> {
  const credentials_version = (await findCredentialsVersion(ctx.db, person.actor.id)) ?? 0
  const { secret } = await openSession(person, { user_id: person.actor.id, credentials_version })
  return { cookie: `postil_session=${secret}` }
}

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const open = (path: string, headers: Record<string, string>) => app.inject({ method: 'GET', url: path, headers })
const annotation = (search = '') => `/dataset/${datasetId}/annotation-mode${search}`

const fromAttribute = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** Parses the elements like a browser: an element ends at the first `</script`. */
function answersIn(html: string) {
  const elements = html.matchAll(/<script type="application\/json" data-user="([^"]*)" data-call="([^"]*)">(.*?)<\/script>/gs)
  return [...elements].map(([, user, call = '', text = '']) => ({ user, call: fromAttribute(call), answer: JSON.parse(text) }))
}

describe('the annotation page of somebody who is signed in', () => {
  test.each(['', '?page=2', '?status=draft&page=1', '?record=x'])('with %s has what it asks for first', async search => {
    const { statusCode, headers, body } = await open(annotation(search), { ...(await signIn(member)), ...NAVIGATION })
    expect([statusCode, headers['cache-control'], headers.etag]).toEqual([200, 'no-store', undefined])
    expect(body.startsWith(PAGE)).toBe(true)
    const answers = answersIn(body)
    const path = `dataset/${datasetId}/annotation-mode`
    expect(answers.map(({ call }) => call)).toEqual(firstCallsOf(path, search.slice(1)).map(({ key }) => key))
    expect(answers.map(({ user }) => user)).toEqual(Array(3).fill(member.actor.id))
    expect(answers[0]?.answer.id).toBe(member.actor.id)
    expect(answers[1]?.answer).toMatchObject({ id: datasetId, fields: [{ name: 'text' }] })
  })

  test('is the same as the answers of the API, and texts end no element', async () => {
    const headers = await signIn(member)
    const { body } = await open(annotation(), { ...headers, ...NAVIGATION })
    expect(body.slice(PAGE.length).replaceAll(/<script type="application\/json"[^>]*>|<\/script>/g, '')).not.toContain('<')
    const [, , records] = answersIn(body)
    expect(records?.answer.items[0].record.fields.text).toBe(HOSTILE)
    const [method, url, payload] = records?.call.split(' ') ?? []
    const asked = await app.inject({
      ...{ method: method as 'POST', url: url ?? '', payload: payload ?? '' },
      headers: { ...headers, 'x-postil-csrf': '1', 'content-type': 'application/json' },
    })
    expect(asked.json()).toEqual(records?.answer)
  })

  test.each(['?search=word', '?page=1~10', '?sort=record.inserted_at.desc', '?page=1&metadata=a.b'])(
    'with %s asks for its records itself',
    async search => {
      const answers = answersIn((await open(annotation(search), { ...(await signIn(member)), ...NAVIGATION })).body)
      expect(answers.map(({ call }) => call.split('?')[0])).toEqual(['GET /api/v1/me', `GET /api/v1/datasets/${datasetId}`])
    },
  )

  test('is not held up by a slow answer', async () => {
    const never = new Promise<never>(() => {})
    const slow = openApp((_contract, call) => (call.routeId === 'searchMyRecords' ? never : runCall(ctx, call)), {
      timeoutMs: 50,
    })
    const headers = { ...(await signIn(member)), ...NAVIGATION }
    const { body } = await slow.inject({ method: 'GET', url: annotation(), headers })
    expect(body.startsWith(PAGE)).toBe(true)
    expect(answersIn(body).filter(({ call }) => call.startsWith('POST'))).toEqual([])
    await slow.close()
  })
})

describe('a page has no data', () => {
  const nothing = async (path: string, headers: Record<string, string>) => {
    const answer = await open(path, headers)
    expect([answer.statusCode, answer.body]).toEqual([200, PAGE])
    return answer
  }

  test('without credentials, and with an API key', async () => {
    const answer = await nothing(annotation(), NAVIGATION)
    expect(answer.headers['cache-control']).toBe('no-cache')
    await nothing(annotation(), { ...NAVIGATION, 'x-argilla-api-key': 'owner.apikey' })
  })

  test('after the session has ended', async () => {
    const headers = await signIn(outsider)
    await deleteSessionsOf(ctx.db, outsider.actor.id, { except: null })
    await nothing(annotation(), { ...headers, ...NAVIGATION })
  })

  test.each([
    { ...NAVIGATION, 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
  ])('in a frame or for a service worker, %#', async headers => {
    await nothing(annotation(), { ...(await signIn(member)), ...headers })
  })

  test.each(['/', '/sign-in', '/dataset/nothing/annotation-mode', '/user-settings'])('at %s', async path => {
    await nothing(path, { ...(await signIn(member)), ...NAVIGATION })
  })

  test('that a person may not see', async () => {
    const { body } = await open(annotation(), { ...(await signIn(outsider)), ...NAVIGATION })
    expect(answersIn(body).map(({ call, user }) => [call, user])).toEqual([['GET /api/v1/me', outsider.actor.id]])
    expect(body).not.toContain('second')
  })

  test('if only its head is asked for', async () => {
    const headers = { ...(await signIn(member)), ...NAVIGATION }
    expect((await app.inject({ method: 'HEAD', url: annotation(), headers })).body).toBe(PAGE)
  })
})
