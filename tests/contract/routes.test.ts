import { CONTRACTS } from '@postil/domain/api/all'
import type { Route } from '@postil/domain/api/route'
import type { DatasetRecord } from '@postil/domain/records'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectForbidden, expectProblems, expectRefused, expectShape, expectUnauthorized } from './answers.ts'
import { NO_ID, openWorld, type World } from './http.ts'
import { type CaseRequest, type RouteCases, toRequest } from './route-case.ts'
import { CASES } from './route-cases.ts'
import { testIf } from './test-if.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

test('every contract has its cases, and no case is without its contract', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(CONTRACTS.map(({ id }) => id).toSorted())
})

test('the description of the API lists every route and no other', async () => {
  type Document = { paths: Record<string, Record<string, { operationId: string }>> }
  const { paths } = await world.nobody.done<Document>('GET /openapi.json')
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`),
  )
  const known = CONTRACTS.map(({ id, method, path }) => `${id}: ${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect(listed.toSorted()).toEqual(known.toSorted())
})

const routes = CONTRACTS.flatMap(contract => {
  const cases = CASES[contract.id]
  return cases === undefined ? [] : [{ id: contract.id, contract, cases }]
})

/** Path parameters that are names, not ids. */
const NAMES = ['job_id', 'provider']

const parametersOf = ({ path }: Route) =>
  [...path.matchAll(/:(\w+)/g)].map(match => match[1] ?? '').filter(name => !NAMES.includes(name))

const takesAnObject = ({ body, bodyType }: Route) => body !== undefined && (bodyType ?? 'json') === 'json'

describe.each(routes)('$id', ({ contract, cases }) => {
  let request: CaseRequest
  beforeAll(async () => {
    request = await cases.request(world)
  })

  testIf(contract.auth, 'refuses callers without credentials', async () => {
    expectUnauthorized(await world.nobody.send(toRequest(contract, request), request.body))
    // Unauthenticated callers cannot see whether something exists.
    expectUnauthorized(await world.nobody.send(toRequest(contract, {}), request.body))
  })

  testIf(cases.permission && cases.permission.annotator !== 'Y', 'refuses callers without the right', async () => {
    expectForbidden(await world.strangerAnnotator.send(toRequest(contract, request), request.body))
  })

  test.each(cases.invalid ?? [])('names what is wrong with the request: $problems', async invalid => {
    const sent = { ...request, ...(invalid.query === undefined ? {} : { query: invalid.query }) }
    expectProblems(await world.owner.send(toRequest(contract, sent), invalid.body ?? request.body), invalid.problems)
  })

  testIf(takesAnObject(contract), 'refuses a body that is no object, and no body', async () => {
    const ask = (body: unknown) => world.owner.send(toRequest(contract, request), body, { 'content-type': 'application/json' })
    expectProblems(await ask('[]'), [['model_attributes_type', 'body']])
    expectProblems(await ask('null'), [['missing', 'body']])
    expectProblems(await ask(undefined), [['missing', 'body']])
  })

  test.each(parametersOf(contract))('refuses a %s that is no id', async name => {
    const sent = { ...request, params: { ...request.params, [name]: 'nonsense' } }
    expectProblems(await world.owner.send(toRequest(contract, sent), request.body), [['uuid_parsing', 'path', name]])
  })

  test.each(cases.missing ?? parametersOf(contract))('does not find a %s of nothing', async name => {
    const sent = { ...request, params: { ...request.params, [name]: NO_ID } }
    expectRefused(await world.owner.send(toRequest(contract, sent), request.body), 404)
  })

  test('answers as its contract says', async () => {
    await checkHappy(contract, cases, request)
  })
})

async function checkHappy(contract: Route, cases: RouteCases, request: CaseRequest): Promise<void> {
  const answer = await world[contract.auth ? 'owner' : 'nobody'].send(toRequest(contract, request), request.body, request.headers)
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: contract.status })
  expect(answer.headers.get('server-timing')).toMatch(/^total;dur=\d+(\.\d+)?$/)
  if (contract.response === undefined) {
    expect(answer.text).toBe('')
    return
  }
  if (contract.stream) {
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    return
  }
  if (contract.responseType === 'application/octet-stream') {
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="/)
    return
  }
  expect(answer.headers.get('content-type')).toContain(contract.responseType ?? 'application/json')
  expectShape(contract.response, answer.body)
  if (cases.relations !== undefined) expectRelations(answer.body, cases.relations)
}

/** Expects that records in lists, in search results or alone have exactly these relations. */
function expectRelations(body: unknown, relations: string[]): void {
  const { items = [body] } = body as { items?: unknown[] }
  expect(items.length).toBeGreaterThan(0)
  for (const item of items) {
    const { record = item } = item as { record?: unknown }
    const has = ['responses', 'suggestions', 'vectors'].filter(
      name => (record as DatasetRecord)[name as 'responses'] !== undefined,
    )
    expect(has).toEqual(relations)
  }
}
