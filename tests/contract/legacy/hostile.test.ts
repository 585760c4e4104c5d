/**
 * Replaces each part of each body and path with values of other types, sizes and characters: no request causes a server error.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../http.ts'
import { CASES, type Prepared, prepareDatasets } from './cases.ts'

let world: World
let prepared: Prepared
beforeAll(async () => {
  world = await openWorld()
  prepared = await prepareDatasets(world)
})
afterAll(() => world?.close())

const fill = (request: string) => request.replace(/\{(\w+)\}/g, (_, name: string) => prepared[name as keyof Prepared])

const JUNK = [
  null,
  true,
  -1,
  1.5,
  1e308,
  '',
  'x',
  '\u0000',
  '\ud800',
  '__proto__',
  'a'.repeat(100_000),
  [],
  [null],
  {},
  { __proto: 1 },
  [[[]]],
]

/** Yields the value with one part replaced, for each part. */
function* replaced(value: unknown, junk: unknown): Generator<unknown> {
  yield junk
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) for (const other of replaced(item, junk)) yield value.with(i, other)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) for (const other of replaced(item, junk)) yield { ...value, [key]: other }
  }
}

const KINDS = [
  {
    query: {
      query_text: 'x',
      ids: [],
      status: [],
      metadata: { k: ['v'] },
      score: { from: 0, to: 1 },
      vector: { name: 'v', value: [1], k: 1 },
    },
  },
  {
    query: { uncovered_by_rules: ['a'], predicted_as: ['a'], predicted: 'ok' },
    sort_by: [{ id: 'metadata.k', order: 'asc' }],
    next_page_cfg: '{}',
  },
]

const withBodies = Object.entries(CASES).filter(([, { body }]) => body !== undefined && !(body instanceof URLSearchParams))

test.each(withBodies)('%s', async (id, { request, body }) => {
  const bodies = [body, ...(/Scan|Search/.test(id) ? KINDS : [])]
  for (const given of bodies) {
    for (const junk of JUNK) {
      for (const other of replaced(given, junk)) {
        const answer = await world.owner.send(fill(request), JSON.stringify(other) ?? '', { 'content-type': 'application/json' })
        expect(answer.status, `${request} ${JSON.stringify(other)?.slice(0, 300)} -> ${answer.text.slice(0, 300)}`).toBeLessThan(
          500,
        )
      }
    }
  }
})

test('paths and parameters', async () => {
  const parts = ['%00', '%80', '%', '%ED%A0%80', 'constructor', '..', '%2F', 'a%00b', '💥', 'x'.repeat(1_000)]
  const paths = [
    '/api/datasets/X',
    '/api/datasets/X/records/X',
    '/api/datasets/X/TextClassification/labeling/rules/X',
    '/api/users/X',
    '/api/workspaces/X/users',
  ]
  for (const path of paths) {
    for (const part of parts) {
      for (const query of ['', `?workspace=${part}`, `?workspace=${prepared.workspace}`]) {
        const answer = await world.owner.send(`GET ${path.replaceAll('X', part)}${query}`)
        expect(answer.status, `${path} ${part} ${query} ${answer.text}`).toBeLessThan(500)
      }
    }
  }
})
