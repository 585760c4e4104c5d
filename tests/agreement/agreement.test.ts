/**
 * Consistency across every database and search engine. Creates the same seeded dataset through the API and compares the responses
 * to 300 seeded queries with domain's reference search over the stored records: the same records, and the same order if the
 * contract defines it.
 *
 * POSTIL_TEST_DATABASE and POSTIL_TEST_ENGINE select the server's database and engine.
 */
import { randomBytes } from 'node:crypto'
import type { RecordsBulk } from '@postil/domain/records'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFolders, postil } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { ask } from './ask.ts'
import { type ComparedDataset, callersOf, changeComparedDataset, createComparedDataset } from './dataset.ts'
import { listScopes, toUse } from './filter-queries.ts'
import { drawQueries, QUERIES } from './queries.ts'
import { TEXT_OPERATORS } from './text-queries.ts'
import { readTruth, type Truth } from './truth.ts'

const home = openFolders()()
let server: StartedServer
let compared: ComparedDataset
let truth: Truth

beforeAll(async () => {
  server = await startServer({ home })
  compared = await createComparedDataset(server)
})
afterAll(() => server?.close())

/** Runs the queries of a seed. `differences` has one line per query whose response differs. */
async function compareAnswers(seed: number): Promise<{ differences: string[]; hits: number[]; uses: Map<string, number> }> {
  truth = await readTruth(compared)
  const uses = new Map<string, number>()
  const hits: number[] = []
  const differences: string[] = []
  for (const [no, asked] of drawQueries(seed, truth, compared.ids.people).entries()) {
    for (const use of asked.uses) uses.set(use, (uses.get(use) ?? 0) + 1)
    const outcome = await ask(compared, truth, asked)
    if (outcome.hits !== null) hits.push(outcome.hits)
    if (outcome.difference !== null)
      differences.push(`${no} ${asked.as} ${JSON.stringify(asked.request).slice(0, 400)}: ${outcome.difference}`)
  }
  return { differences, hits, uses }
}

/** Checks that most queries find some records, but not all: otherwise they prove little. */
function expectTelling(hits: readonly number[]): void {
  const telling = hits.filter(count => count > 0 && count < truth.documents.length)
  expect(telling.length / hits.length, 'share of the searches that find some of the records').toBeGreaterThan(0.6)
}

/** Checks that every operator, filter, sort and route is used. */
function expectCovered(uses: ReadonlyMap<string, number>): void {
  const scopes = [...new Set(listScopes(truth.dataset).map(toUse))]
  const wanted: [string, number][] = [
    ...TEXT_OPERATORS.map((operator): [string, number] => [`text ${operator}`, 3]),
    ...scopes.map((scope): [string, number] => [`terms ${scope}`, 1]),
    ...scopes.filter(scope => scope !== 'response status').map((scope): [string, number] => [`range ${scope}`, 1]),
    ...scopes.flatMap((scope): [string, number][] => [
      [`sort ${scope} asc`, 1],
      [`sort ${scope} desc`, 1],
    ]),
    ...['exists record', 'exists metadata', 'exists suggestion', 'exists response'].map((use): [string, number] => [use, 1]),
    ...['me', 'datasets', 'sorted', 'counts', 'list', 'similar most_similar', 'similar least_similar'].map(
      (use): [string, number] => [use, 10],
    ),
  ]
  expect(wanted.filter(([use, count]) => (uses.get(use) ?? 0) < count).map(([use]) => `${use}: ${uses.get(use) ?? 0}`)).toEqual(
    [],
  )
  expect(QUERIES).toBe(300)
}

test('300 queries give the answers of the plain search', async () => {
  const { differences, hits, uses } = await compareAnswers(1)
  expect(differences).toEqual([])
  expectTelling(hits)
  expectCovered(uses)
})

test('after updates and deletes, too', async () => {
  await changeComparedDataset(compared)
  const { differences, hits } = await compareAnswers(2)
  expect(differences).toEqual([])
  expectTelling(hits)
})

test('a very long external id is found and sorted as any other', async () => {
  const { owner } = compared.people
  const path = `/datasets/${compared.datasetId}/records`
  // Too long for a database index, and random so that compression does not help.
  const external_id = `very long ${randomBytes(20_000).toString('hex')}`
  const created = await owner.done<RecordsBulk>(`POST ${path}/bulk`, { items: [{ external_id, fields: { text: 'long' } }] })
  const again = await owner.done<RecordsBulk>(`PUT ${path}/bulk`, { items: [{ external_id, fields: { text: 'longer' } }] })
  expect(again.items.map(({ id }) => id)).toEqual(created.items.map(({ id }) => id))
  const twice = await owner.send(`POST ${path}/bulk`, { items: [{ external_id, fields: { text: 'twice' } }] })
  expect(twice.status).toBe(422)
  const scope = { entity: 'record', property: 'external_id' }
  const found = await owner.done<{ total: number }>(`POST ${path}/search`, {
    filters: { and: [{ type: 'terms', scope, values: [external_id] }] },
    sort: [{ scope, order: 'asc' }],
  })
  expect(found.total).toBe(1)
  await owner.done(`DELETE ${path}?ids=${created.items[0]?.id}`)
})

/** Texts that a database or an engine may not accept unchanged. */
const ODD = { nul: 'nul \u0000 inside', half: 'half \ud800 pair', mark: '\ufeffmark', private: 'private\ue000use' }

test('texts with odd characters are stored and found, or refused, as everywhere', async () => {
  const { owner } = compared.people
  const path = `/datasets/${compared.datasetId}/records`
  const answers: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(ODD)) {
    const item = { external_id: `odd ${text}`, fields: { text }, metadata: { id: text } }
    const { status, body } = await owner.send<RecordsBulk>(`POST ${path}/bulk`, { items: [item] })
    const [record] = body.items ?? []
    const filters = { and: [{ type: 'terms', scope: { entity: 'metadata', metadata_property: 'id' }, values: [text] }] }
    const found = await owner.send<{ total: number }>(`POST ${path}/search`, { query: { text: { q: text } }, filters })
    answers[name] = { status, text: record?.fields.text, found: [found.status, found.body.total] }
    if (record !== undefined) await owner.done(`DELETE ${path}?ids=${record.id}`)
  }
  const kept = (text: string) => ({ status: 201, text, found: [200, 1] })
  const refused = { status: 422, text: undefined, found: [422, undefined] }
  expect(answers).toEqual({ nul: refused, half: refused, mark: kept(ODD.mark), private: kept(ODD.private) })
})

test('after a reindex by command and with another server on the same data, too', async () => {
  await server.close()
  const { status, stdout, stderr } = postil(['server', 'search-engine', 'reindex'], server.env)
  expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: '' })
  const verified = postil(['server', 'search-engine', 'verify'], server.env)
  expect(verified.status, verified.stdout + verified.stderr).toBe(0)
  server = await startServer({ home })
  compared = { ...compared, people: callersOf(compared.people, server.url) }
  expect((await compareAnswers(3)).differences).toEqual([])
})
