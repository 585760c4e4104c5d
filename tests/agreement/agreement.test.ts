/**
 * One behaviour on every database and search engine. The same seeded dataset is made through the API, and 300 seeded queries must
 * give the answers of domain's plain search over what is stored: the same records, and in the same order where the contract fixes it.
 *
 * POSTIL_TEST_DATABASE and POSTIL_TEST_ENGINE say what the server runs on.
 */
import { randomBytes } from 'node:crypto'
import type { RecordsBulk } from '@postil/domain/records'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFolders, postil } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { ask } from './ask.ts'
import { type Compared, callersOf, changeCompared, createCompared } from './dataset.ts'
import { listScopes, toUse } from './filter-queries.ts'
import { drawQueries, QUERIES } from './queries.ts'
import { TEXT_OPERATORS } from './text-queries.ts'
import { readTruth, type Truth } from './truth.ts'

const home = openFolders()()
let server: StartedServer
let compared: Compared
let truth: Truth

beforeAll(async () => {
  server = await startServer({ home })
  compared = await createCompared(server)
})
afterAll(() => server?.close())

/** Answers to queries of a seed; those that differ, each in a line. */
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

/** A query says little if it finds nothing or everything. */
function expectTelling(hits: readonly number[]): void {
  const telling = hits.filter(count => count > 0 && count < truth.documents.length)
  expect(telling.length / hits.length, 'share of the searches that find some of the records').toBeGreaterThan(0.6)
}

/** Every operator, filter, sort and route is asked for. */
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
  await changeCompared(compared)
  const { differences, hits } = await compareAnswers(2)
  expect(differences).toEqual([])
  expectTelling(hits)
})

test('a very long external id is found and sorted as any other', async () => {
  const { owner } = compared.people
  const path = `/datasets/${compared.datasetId}/records`
  // Too long for an index of a database, and not to be compressed to fit.
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

/** Texts that a database or an engine may not take as they are. */
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
