/** Replaces every body property, parameter and id with invalid values. */
import { CONTRACTS } from '@postil/domain/api/all'
import type { Route } from '@postil/domain/api/route'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem, expectProblems } from '../answers.ts'
import { type Answer, NO_ID } from '../http.ts'
import { toRequest } from '../route-case.ts'
import { type FullBody, fullBodies } from './full-bodies.ts'
import { expectAlive, expectUnprocessable, openTarget, type Target, unharmed } from './target.ts'

let target: Target
let bodies: FullBody[]
beforeAll(async () => {
  target = await openTarget()
  bodies = await fullBodies(target)
})
afterAll(() => target?.close())

const bodyRoutes = CONTRACTS.filter(({ body, bodyType }) => body !== undefined && (bodyType ?? 'json') === 'json')

type Path = (string | number)[]
type Json = Record<string | number, unknown>

/** Undefined removes the property. */
const REPLACEMENTS: unknown[] = [undefined, null, -1.5, 'text', [[]], { a: 1 }]

/** Returns every path in a body: properties of objects and the first item of lists. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const keys = Array.isArray(value) ? [0].slice(0, value.length) : Object.keys(value)
  return [path, ...keys.flatMap(key => pathsOf((value as Json)[key], [...path, key]))]
}

function replaced(body: object, path: Path, value: unknown): object {
  const copy = structuredClone(body) as Json
  const last = path.at(-1) ?? ''
  const owner = path.slice(0, -1).reduce((part, key) => part[key] as Json, copy)
  if (value === undefined && !Array.isArray(owner)) delete owner[last]
  else owner[last] = value ?? null
  return copy
}

/** Expects 2xx, 409, or an error that names the property. */
function expectJudged(answer: Answer, path: Path, request: string): void {
  if (answer.status >= 200 && answer.status <= 299) return
  if (answer.status === 409) return
  // A different text is a wrong password.
  if (PASSWORD_ROUTES.test(request) && [401, 429].includes(answer.status)) return
  // A different token does not belong to an invitation.
  if (TOKEN_ROUTES.test(request) && [404, 429].includes(answer.status)) return
  // Valid requests refer to an upload that does not exist.
  if (UPLOAD_ROUTES.test(request) && answer.status === 404) return
  expectUnprocessable(answer)
  const { detail } = answer.body as { detail: string | { params: { errors: { loc: Path }[] } } }
  if (typeof detail === 'string') return
  // The error may refer to the whole object or to the variant instead of the property.
  const isNear = ({ loc }: { loc: Path }) => loc[0] === 'body' && (loc.includes(path[0] ?? '') || loc.length <= 2)
  expect(detail.params.errors.filter(error => !isNear(error))).toEqual([])
}

const PASSWORD_ROUTES = /\/(session|password)$/
const TOKEN_ROUTES = /\/invitations\/(lookup|accept)$/
const UPLOAD_ROUTES = /\/uploads\/|\/imports$/

interface RefusedRequest {
  request: string
  body: object
  status: number
}
const refused: RefusedRequest[] = []

async function attack(request: string, body: object, path: Path, value: unknown): Promise<void> {
  const spoilt = replaced(body, path, value)
  const answer = await target.owner.send(request, spoilt)
  const what = `${path.join('.')} = ${JSON.stringify(value)}`
  expect([what, answer.status < 500 ? '' : answer.text]).toEqual([what, ''])
  expectJudged(answer, path, request)
  if (answer.status >= 400) refused.push({ request, body: spoilt, status: answer.status })
}

describe('a property of the wrong type', () => {
  test('every route with a body is attacked', () => {
    expect([...new Set(bodies.map(({ id }) => id))].toSorted()).toEqual(bodyRoutes.map(({ id }) => id).toSorted())
  })

  test.each(bodyRoutes)('is taken or named, never a failure of ours: $id', async (contract: Route) => {
    for (const { params = {}, body } of bodies.filter(({ id }) => id === contract.id)) {
      const request = toRequest(contract, { params })
      for (const path of pathsOf(body).slice(1)) {
        await Promise.all(REPLACEMENTS.map(value => attack(request, body, path, value)))
      }
    }
    await expectAlive(target)
  })

  test('writes nothing when it is refused', async () => {
    expect(refused.length).toBeGreaterThan(1_000)
    await unharmed(target, async () => {
      const again = async ({ request, body, status }: RefusedRequest) => {
        const answer = await target.owner.send(request, body)
        // An invalid value may meanwhile conflict with a name in use, but it must not be accepted.
        expect([request, body, status === answer.status || answer.status === 409]).toEqual([request, body, true])
      }
      // Every third request is sufficient.
      const some = refused.filter((_, index) => index % 3 === 0)
      for (let i = 0; i < some.length; i += 10) await Promise.all(some.slice(i, i + 10).map(again))
    })
  })
})

describe('a query parameter of the wrong type', () => {
  const routes = CONTRACTS.filter(({ query }) => query !== undefined)
  const VALUES = [
    '',
    'text',
    '-1',
    '0',
    '1.5',
    '1e400',
    '99999999999999999999',
    'null',
    '[]',
    '{}',
    'true',
    '%00',
    '%ff',
    '%ED%A0%80',
  ]
  const MORE = ['%F0%9F%91%8D', 'a:b', ':', ',', 'x'.repeat(3_000), '%22', '+', '%0d%0aX-Evil:1']

  test.each(routes)('is taken or named: $id', async contract => {
    const { params } = bodies.find(({ id }) => id === 'createRecordsBulk') as FullBody
    const recordId = (bodies.find(({ id }) => id === 'updateRecord') as FullBody).params?.record_id ?? ''
    const questionId = (bodies.find(({ id }) => id === 'addQuestionOptions') as FullBody).params?.question_id ?? ''
    const names = Object.keys((contract.query as { properties?: object }).properties ?? {})
    const body = contract.body === undefined ? undefined : {}
    for (const name of names) {
      const ask = async (value: string) => {
        const request = toRequest(contract, {
          params: { ...params, record_id: recordId, question_id: questionId, provider: 'github' },
          query: `${name}=${value}`,
        })
        const answer = await target.owner.send(request, body)
        expect([request, answer.status < 500 ? '' : answer.text]).toEqual([request, ''])
        const isMissing = UPLOAD_ROUTES.test(request) && answer.status === 404
        if (answer.status >= 300 && answer.status !== contract.status && !isMissing) expectUnprocessable(answer)
        expect(answer.headers.get('x-evil')).toBeNull()
      }
      await Promise.all([...VALUES, ...MORE].map(ask))
    }
    await expectAlive(target)
  })

  test.each([
    ['GET /datasets?name=%00', 'value_error', 'name'],
    ['GET /datasets?workspace_id=%00', 'uuid_parsing', 'workspace_id'],
    ['GET /datasets?status=%00', 'enum', 'status'],
    ['DELETE /records/:record_id/suggestions?ids=%00', 'value_error', 'ids'],
    ['GET /datasets/:dataset_id/records?sort_by=%00', 'value_error', 'sort_by'],
    ['GET /datasets/:dataset_id/records?metadata=a:%00', 'value_error', 'metadata'],
    ['GET /datasets/:dataset_id/records?include=vectors:%00', 'value_error', 'include'],
  ])('%s: %s', async (request, type, name) => {
    const list = ['sort_by', 'metadata', 'include'].includes(name) ? [0] : []
    expectProblem(await target.owner.send(request.replace(/:\w+_id/, NO_ID)), type, 'query', name, ...list)
  })

  test('what follows a question mark inside a value belongs to it', async () => {
    const name = 'why? & how?'
    const made = await target.owner.done<{ id: string }>('POST /datasets', { name, workspace_id: target.workspaceId })
    for (const written of ['why?%20%26%20how?', 'why%3F%20%26%20how%3F']) {
      const answer = await target.owner.send<{ items: { id: string }[] }>(`GET /datasets?name=${written}`)
      expect([written, answer.body.items.map(({ id }) => id)]).toEqual([written, [made.id]])
    }
  })
})

describe('an id in the path that is none', () => {
  const IDS = ['nonsense', '0', 'null', '%00', '%F0%9F%91%8D', "'%20or%201=1--", '__proto__', '..%2f..']
  // A path may have up to 2,048 characters.
  const LONG = ['x'.repeat(1_900), `${NO_ID}0`, `%7B${NO_ID}`, `${NO_ID}%0a`, NO_ID.replaceAll('0', '%D9%A0')]
  const routes = CONTRACTS.filter(({ path }) => /:(?!job_id|provider)\w+/.test(path))

  test.each(routes)('is named: $id', async contract => {
    const names = [...contract.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    const body = bodies.find(({ id }) => id === contract.id)?.body
    const { required = [] } = (contract.query ?? {}) as { required?: string[] }
    const query = required.length === 0 ? '' : `?${required.map(key => `${key}=${key === 'ids' ? NO_ID : 0}`).join('&')}`
    for (const name of names) {
      const ask = async (id: string) => {
        const path = contract.path.replaceAll(/:(\w+)/g, (_, other: string) => (other === name ? id : NO_ID))
        expectProblems(await target.owner.send(`${contract.method} ${path}${query}`, body), [['uuid_parsing', 'path', name]])
      }
      await Promise.all([...IDS, ...LONG].map(ask))
    }
  })

  test.each(['%', '%zz', '%ff', '%ED%A0%80', '%C0%80'])('%s is not a path: not found', async id => {
    const answer = await target.owner.send(`GET /users/${id}`)
    expect([404, 422]).toContain(answer.status)
    await expectAlive(target)
  })

  test('no job has a strange id', async () => {
    for (const id of ['x', '__proto__', "'%20or%201=1--", '%F0%9F%91%8D', '%00', 'x'.repeat(1_900)]) {
      expect([404, 422]).toContain((await target.owner.send(`GET /jobs/${id}`)).status)
    }
  })
})
