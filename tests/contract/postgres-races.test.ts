/** Two servers on one PostgreSQL database: all constraints hold under concurrent requests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runRows } from '../databases/rows.ts'
import { HAS_POSTGRES, usePostgres } from '../databases/use-postgres.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { LABEL_QUESTION, TEXT_FIELD } from './datasets.ts'
import { aUser, type Caller, caller } from './http.ts'

interface Place {
  home: string
  databaseUrl: string
}

const ROUNDS = 8

describe.runIf(HAS_POSTGRES)('two servers on one database', () => {
  const postgres = usePostgres()
  const newFolder = openFolders()
  let place: Place
  let servers: StartedServer[] = []
  /** The owner as a caller of each server. */
  let owners: Caller[] = []
  let workspaceId = ''

  beforeAll(async () => {
    place = { home: newFolder(), databaseUrl: await postgres.newDatabase() }
    const start = () => startServer({ home: place.home, env: { SERVICE_DATABASE_URL: place.databaseUrl } })
    // Both try to migrate and to create the first owner. One succeeds while the other waits.
    servers = await Promise.all([start(), start()])
    owners = servers.map(({ url, apiKey }) => caller(url, apiKey))
    const { items } = await first(owners).done<{ items: { id: string }[] }>('GET /me/workspaces')
    workspaceId = items[0]?.id ?? ''
  })
  afterAll(async () => {
    expect(await Promise.all(servers.map(server => server.close()))).toEqual([0, 0])
  })

  const rows = <Row>(text: string, values: string[] = []) => runRows<Row>(place, text, values)
  const at = (index: number) => owners[index % owners.length] as Caller
  /** Sends all rounds concurrently, alternating between the servers. Returns the statuses. */
  const statusesOf = (send: (owner: Caller, index: number) => Promise<{ status: number }>) =>
    Promise.all(Array.from({ length: ROUNDS }, async (_, index) => (await send(at(index), index)).status))

  async function aDataset(minSubmitted: number): Promise<string> {
    const owner = first(owners)
    const distribution = { strategy: 'overlap', min_submitted: minSubmitted }
    const name = `races-${Math.random()}`
    const { id } = await owner.done<{ id: string }>('POST /datasets', { name, workspace_id: workspaceId, distribution })
    await owner.done(`POST /datasets/${id}/fields`, TEXT_FIELD)
    await owner.done(`POST /datasets/${id}/questions`, LABEL_QUESTION)
    await owner.done(`PUT /datasets/${id}/publish`)
    return id
  }

  const toItems = (count: number, prefix = 'r') =>
    Array.from({ length: count }, (_, index) => ({ external_id: `${prefix}${index}`, fields: { text: `text ${index}` } }))

  const ANSWER = { status: 'submitted', values: { mood: { value: 'happy' } } }

  async function expectWhole(datasetId: string): Promise<void> {
    const text = `select h.change_no, h.records_count, h.completed_count,
        (select count(*) from changes where dataset_id = h.dataset_id) as entries,
        (select max(change_no) from changes where dataset_id = h.dataset_id) as last,
        (select count(*) from records where dataset_no = h.no) as records,
        (select count(*) from records where dataset_no = h.no and status = 'completed') as completed
      from dataset_heads h where h.dataset_id = ?`
    const [head] = await rows<Record<string, number>>(text, [datasetId])
    expect(head).toMatchObject({
      entries: head?.change_no,
      last: head?.change_no,
      records: head?.records_count,
      completed: head?.completed_count,
    })
  }

  test('make one owner, one schema and one set of keys', async () => {
    expect(await rows('select username from users')).toEqual([{ username: 'owner' }])
    for (const owner of owners) expect((await owner.send('GET /me')).status).toBe(200)
  })

  test.each([
    ['workspaces', (owner: Caller) => owner.send('POST /workspaces', { name: 'one of a kind' })],
    ['datasets', (owner: Caller) => owner.send('POST /datasets', { name: 'one of a kind', workspace_id: workspaceId })],
    [
      'users',
      (owner: Caller) =>
        owner.send('POST /users', { first_name: 'A', username: 'one-of-a-kind', role: 'annotator', password: 'a long password' }),
    ],
  ])('make one of several %s with the same name', async (_, send) => {
    const statuses = await statusesOf(send)
    expect(statuses.toSorted()).toEqual([201, ...Array(ROUNDS - 1).fill(409)])
  })

  test('store one response for each user and record', async () => {
    const id = await aDataset(1)
    const created = await first(owners).done<{ items: { id: string }[] }>(`POST /datasets/${id}/records/bulk`, {
      items: toItems(10),
    })
    for (const { id: recordId } of created.items) {
      const statuses = await statusesOf(owner => owner.send(`POST /records/${recordId}/responses`, ANSWER))
      expect(statuses.toSorted()).toEqual([201, ...Array(ROUNDS - 1).fill(409)])
    }
    await expectWhole(id)
    const { completed_count } =
      (await rows<Record<string, number>>('select completed_count from dataset_heads where dataset_id = ?', [id]))[0] ?? {}
    expect(completed_count).toBe(10)
  })

  test('complete each record once enough people have answered, and keep every replaced answer', async () => {
    const id = await aDataset(3)
    const { items } = await first(owners).done<{ items: { id: string }[] }>(`POST /datasets/${id}/records/bulk`, {
      items: toItems(6),
    })
    const people = await Promise.all(
      [0, 1, 2, 3].map(async index => {
        const user = await aUser(servers[index % 2]?.url ?? '', at(index), 'annotator', { username: `annotator-${index}` })
        await at(index).done(`POST /workspaces/${workspaceId}/users`, { user_id: user.id })
        return servers.map(({ url }) => caller(url, user.key, user))
      }),
    )
    const bulk = (values: object) => ({ items: items.map(({ id: record_id }) => ({ record_id, status: 'submitted', values })) })
    for (const mood of ['happy', 'sad', 'calm']) {
      const answers = people.flatMap(both =>
        both.map(person =>
          person.send<{ items: { error: unknown }[] }>('POST /me/responses/bulk', bulk({ mood: { value: mood } })),
        ),
      )
      for (const { status, body } of await Promise.all(answers)) {
        expect(status).toBe(200)
        expect(body.items.filter(({ error }) => error !== null)).toEqual([])
      }
    }
    await expectWhole(id)
    const counted = await rows<{ responses: number; completed: number }>(
      `select (select count(*) from responses where record_no = r.no) as responses, case r.status when 'completed' then 1 else 0 end as completed
       from records r where r.dataset_no = (select no from dataset_heads where dataset_id = ?)`,
      [id],
    )
    expect(counted).toEqual(Array(6).fill({ responses: 4, completed: 1 }))
    const gaps = await rows(
      `select record_no, user_id from response_history group by record_no, user_id having max(version) - min(version) + 1 <> count(*)`,
    )
    expect(gaps).toEqual([])
  })

  test('store each external id once, and find at either server what the other one has stored', async () => {
    const id = await aDataset(1)
    const statuses = await statusesOf(owner => owner.send(`PUT /datasets/${id}/records/bulk`, { items: toItems(40, 'same-') }))
    expect(statuses).toEqual(Array(ROUNDS).fill(200))
    await expectWhole(id)
    for (const [index, owner] of owners.entries()) {
      const word = `zebra${index}`
      await owner.done(`POST /datasets/${id}/records/bulk`, { items: [{ fields: { text: word } }] })
      const other = at(index + 1)
      const found = await other.done<{ total: number }>(`POST /datasets/${id}/records/search`, { query: { text: { q: word } } })
      expect(found.total).toBe(1)
    }
    const { total } = await first(owners).done<{ total: number }>(`GET /datasets/${id}/records?limit=1`)
    expect(total).toBe(42)
  })

  test('agree about settings that the other one changes', async () => {
    const id = await aDataset(1)
    const [one, two] = [at(0), at(1)]
    await one.done(`POST /datasets/${id}/metadata-properties`, {
      name: 'kind',
      title: 'Kind',
      settings: { type: 'terms', values: ['a'] },
    })
    const wrong = { items: [{ fields: { text: 'x' }, metadata: { kind: 'b' } }] }
    expect((await two.send(`POST /datasets/${id}/records/bulk`, wrong)).status).toBe(422)
    const right = { items: [{ fields: { text: 'x' }, metadata: { kind: 'a' } }] }
    expect((await two.send(`POST /datasets/${id}/records/bulk`, right)).status).toBe(201)
    const filters = { and: [{ type: 'terms', scope: { entity: 'metadata', metadata_property: 'kind' }, values: ['a'] }] }
    expect(await one.done(`POST /datasets/${id}/records/search`, { filters })).toMatchObject({ total: 1 })
  })
})

const first = (owners: readonly Caller[]) => owners[0] as Caller
