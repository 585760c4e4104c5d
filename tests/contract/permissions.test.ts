/** Permissions: every route by every caller, and whether a caller without permission can see that something does not exist. */
import { CONTRACTS } from '@postil/domain/api/all'
import type { Route } from '@postil/domain/api/route'
import type { RecordResponse, ResponsesBulk } from '@postil/domain/responses'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectForbidden, expectRefused } from './answers.ts'
import { ALL_PROPERTIES, aDataset, aRecord, type BuiltDataset, draft, idOf, SMALL, submitted } from './datasets.ts'
import { ACTORS, type ActorName, aMember, fresh, NO_ID, openWorld, type World } from './http.ts'
import { type Permission, toRequest } from './route-case.ts'
import { CASES } from './route-cases.ts'
import { testIf } from './test-if.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

function isAllowed(actor: ActorName, { admin, annotator }: Permission): boolean {
  if (actor === 'owner') return true
  const right = actor.endsWith('Admin') ? admin : annotator
  return right === 'Y' || (right === 'M' && actor.startsWith('member'))
}

const guarded = CONTRACTS.flatMap(contract => {
  const { request, permission } = CASES[contract.id] ?? {}
  return request === undefined || permission === undefined ? [] : [{ id: contract.id, contract, request, permission }]
})

describe.each(guarded)('$id', ({ contract, request, permission }) => {
  const may = ACTORS.filter(actor => isAllowed(actor, permission))
  const mayNot = ACTORS.filter(actor => !isAllowed(actor, permission))

  testIf(mayNot.length > 0, `is not for ${mayNot.join(', ')}`, async () => {
    const given = await request(world)
    for (const actor of mayNot) expectForbidden(await world[actor].send(toRequest(contract, given), given.body))
  })

  test(`is for ${may.join(', ')}`, async () => {
    // Requests that change nothing can be repeated.
    const isUsedUp = contract.runs === 'writer' || contract.endsOnWriter
    const once = isUsedUp && contract.method !== 'PATCH' ? null : await request(world)
    for (const actor of may) {
      const given = once ?? (await request(world))
      const answer = await world[actor].send(toRequest(contract, given), given.body)
      expect({ actor, status: answer.status, text: answer.text }).toMatchObject({ actor, status: contract.status })
    }
  })

  testIf(contract.params && permission.order, `checks ${permission.order} when something is missing`, async () => {
    await checkOrder(contract, permission)
  })
})

async function checkOrder(contract: Route, { order }: Permission): Promise<void> {
  const given = await (CASES[contract.id] as (typeof CASES)[string]).request(world)
  const answer = await world.strangerAnnotator.send(toRequest(contract, { ...given, params: {} }), given.body)
  if (order === '403 then 404') expectForbidden(answer)
  else expectRefused(answer, 404)
}

describe('the path of a part below its dataset', () => {
  test.each(['fields', 'questions'] as const)('looks at the dataset, then at rights, then at %s', async kind => {
    const dataset = await aDataset(world, { ...SMALL, publish: false })
    const other = await aDataset(world, { ...SMALL, publish: false })
    const [own, foreign] = [dataset, other].map(({ [kind]: parts }) => idOf(parts, kind === 'fields' ? 'text' : 'mood'))
    const remove = (actor: ActorName, datasetId: string, id = NO_ID) =>
      world[actor].send(`DELETE /datasets/${datasetId}/${kind}/${id}`)
    expectRefused(await remove('strangerAnnotator', NO_ID, own), 404)
    expectForbidden(await remove('strangerAnnotator', dataset.id))
    expectRefused(await remove('owner', dataset.id, foreign), 404)
    expectRefused(await remove('owner', (await aDataset(world, SMALL)).id), 404)
  })
})

describe('datasets', () => {
  test.each([
    { actor: 'owner', status: 200 },
    { actor: 'memberAdmin', status: 403 },
    { actor: 'memberAnnotator', status: 403 },
  ] as const)('of a missing workspace: $actor gets $status', async ({ actor, status }) => {
    const answer = await world[actor].send<{ items: unknown[] }>(`GET /me/datasets?workspace_id=${NO_ID}`)
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.body).toEqual({ items: [] })
    else expectForbidden(answer)
  })

  test('of a workspace are listed for members only', async () => {
    const { id } = await aDataset(world, SMALL)
    const seen = async (actor: ActorName, query = '') => {
      const { items } = await world[actor].done<{ items: { id: string }[] }>(`GET /me/datasets${query}`)
      return items.some(dataset => dataset.id === id)
    }
    for (const actor of ACTORS) expect([actor, await seen(actor)]).toEqual([actor, !actor.startsWith('stranger')])
    expectForbidden(await world.strangerAdmin.send(`GET /datasets?workspace_id=${world.workspaceId}`))
    expect(await seen('memberAnnotator', `?workspace_id=${world.workspaceId}`)).toBe(true)
  })

  test('in a missing workspace cannot be made: rights come first', async () => {
    const body = { name: fresh('dataset'), workspace_id: NO_ID }
    expectRefused(await world.owner.send('POST /datasets', body))
    expectForbidden(await world.memberAdmin.send('POST /datasets', body))
  })
})

describe('metrics of a metadata property', () => {
  test('that is hidden are not for annotators', async () => {
    const dataset = await aDataset(world, { ...SMALL, properties: ALL_PROPERTIES })
    const request = `GET /metadata-properties/${idOf(dataset.properties, 'hidden')}/metrics`
    expectForbidden(await world.memberAnnotator.send(request))
    expect((await world.memberAdmin.send(request)).status).toBe(200)
  })
})

describe('responses', () => {
  let dataset: BuiltDataset
  beforeAll(async () => {
    dataset = await aDataset(world, SMALL)
  })

  const aResponseOf = async (author: ActorName) => {
    const record = await aRecord(world, dataset)
    return (await world[author].done<RecordResponse>(`POST /records/${record.id}/responses`, draft())).id
  }

  test.each([
    { author: 'owner', may: ['owner', 'memberAdmin'] },
    { author: 'memberAdmin', may: ['owner', 'memberAdmin'] },
    { author: 'memberAnnotator', may: ['owner', 'memberAdmin', 'memberAnnotator'] },
  ] as const)('of $author may be changed and deleted by $may', async ({ author, may }) => {
    for (const actor of ACTORS) {
      const request = `/responses/${await aResponseOf(author)}`
      const isAllowedTo = (may as readonly string[]).includes(actor)
      for (const answer of [
        await world[actor].send(`PUT ${request}`, submitted()),
        await world[actor].send(`DELETE ${request}`),
      ]) {
        if (isAllowedTo)
          expect([actor, answer.status, (answer.body as RecordResponse).user_id]).toEqual([actor, 200, world[author].id])
        else expectForbidden(answer)
      }
    }
  })

  test.each(['admin', 'annotator'] as const)('stay those of an %s who left the workspace', async role => {
    const user = await aMember(world, role)
    const record = await aRecord(world, dataset)
    const { id } = await user.done<RecordResponse>(`POST /records/${record.id}/responses`, draft())
    const others = await aResponseOf('owner')
    await world.owner.done(`DELETE /workspaces/${world.workspaceId}/users/${user.id}`)

    expectForbidden(await user.send(`GET /records/${record.id}`))
    expectForbidden(await user.send(`PUT /responses/${others}`, draft()))
    expect((await user.send(`PUT /responses/${id}`, submitted())).status).toBe(200)
    expect((await user.send(`DELETE /responses/${id}`)).status).toBe(200)
  })

  test('of a stranger in bulk are refused one by one', async () => {
    const items = [await aRecord(world, dataset), { id: NO_ID }].map(({ id }) => ({ record_id: id, ...draft() }))
    for (const actor of ['strangerAdmin', 'strangerAnnotator'] as const) {
      const answer = await world[actor].send<ResponsesBulk>('POST /me/responses/bulk', { items })
      expect(answer.status).toBe(200)
      const refused = (code: string) => ({ item: null, error: { detail: expect.stringMatching(/./), code, at: [] } })
      expect(answer.body.items).toEqual([refused('forbidden'), refused('not_found')])
    }
  })
})

describe('API keys', () => {
  test('are shown to their user and to owners', async () => {
    const { memberAdmin, memberAnnotator, owner, workspaceId } = world
    type Users = { items: { id: string; api_key: string | null }[] }
    const keyIn = ({ items }: Users) => items.find(({ id }) => id === memberAnnotator.id)?.api_key
    expect(keyIn(await owner.done<Users>('GET /users'))).toBe(memberAnnotator.key)
    expect(keyIn(await owner.done<Users>(`GET /workspaces/${workspaceId}/users`))).toBe(memberAnnotator.key)
    expect(keyIn(await memberAdmin.done<Users>(`GET /workspaces/${workspaceId}/users`))).toBeNull()
    expect(await memberAnnotator.done('GET /me')).toMatchObject({ api_key: memberAnnotator.key })
    expect(memberAnnotator.key).toMatch(/^[A-Za-z0-9_-]{107}$/)
  })
})
