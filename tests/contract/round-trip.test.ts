/** What Postil writes, Postil reads back as it was, in each format that it writes and reads. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRandom } from '../load/corpus.ts'
import { exportFile } from './exports-world.ts'
import { openWorld, type World } from './http.ts'
import { aHubDataset, listRecords } from './hub-world.ts'
import { importFile } from './import-world.ts'

const RECORDS = Number(process.env.POSTIL_TEST_ROUND_TRIP ?? 200)

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const PARTS = [
  ...['=SUM(A1)', '+49 30 1234', '-5', '-x', '@a', "'=1", "'", "''", "'\u2060", "'\u2060=1", '=', '\t', '\r', '\n', '\r\n'],
  ...[
    '"',
    '""',
    ',',
    ';',
    '|',
    ' ',
    '  ',
    '\u00a0',
    '\ufeff',
    '\u2028',
    '\u200b',
    '\u202e',
    'é',
    'e\u0301',
    '日本語',
    '🎉',
    '\u0001',
  ],
  ...[
    'null',
    'NULL',
    'NaN',
    'true',
    '007',
    '1.50',
    '1e5',
    '12345678901234567890',
    '[1,2]',
    '{"a":1}',
    '["x"]',
    '\\',
    '\\n',
    '\\"',
  ],
  ...['sep=;', '＝1', '<b>', '&amp;', 'word'],
]

const random = openRandom(11)
const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
const aText = () => Array.from({ length: Math.floor(random() * 4) }, () => pick(PARTS)).join('')
const aTerm = () => `${pick(PARTS)}${pick(PARTS)}`

const aRecord = (index: number) => ({
  external_id: `${pick(PARTS.filter(part => part.trim() === part && part !== ''))}${index}`,
  fields: { text: aText() || pick(PARTS), ...(random() < 0.7 && { more: aText() }) },
  metadata: {
    ...(random() < 0.5 && { terms: random() < 0.5 ? aTerm() : [aTerm(), aTerm()] }),
    ...(random() < 0.5 && { count: Math.floor((random() - 0.5) * 1e6) }),
    ...(random() < 0.5 && { share: (random() - 0.5) * 10 ** Math.floor(random() * 20 - 10) }),
  },
})

const settings = {
  fields: ['text', 'more'].map(name => ({ name, type: 'text' })),
  metadata: [
    { name: 'terms', settings: { type: 'terms' } },
    { name: 'count', settings: { type: 'integer' } },
    { name: 'share', settings: { type: 'float' } },
  ],
}
const mapping = {
  external_id: 'id',
  fields: ['text', 'more'].map(name => ({ source: name, target: name })),
  metadata: ['terms', 'count', 'share'].map(name => ({ source: `metadata.${name}`, target: name })),
}

const recordsOf = async (id: string) =>
  (await listRecords(world.owner, id))
    .map(({ external_id, fields, metadata }) => ({ external_id, fields, metadata }))
    .sort((a, b) => ((a.external_id ?? '') < (b.external_id ?? '') ? -1 : 1))

test.each(['csv', 'jsonl', 'parquet'])('records are the same after an export and an import as %s', async format => {
  const from = await aHubDataset(world.owner, world.workspaceId, settings)
  const records = Array.from({ length: RECORDS }, (_, index) => aRecord(index))
  for (let at = 0; at < RECORDS; at += 100) {
    await world.owner.done(`POST /datasets/${from}/records/bulk`, { items: records.slice(at, at + 100) })
  }
  const content = await exportFile(world, world.owner, from, { format })
  const to = await aHubDataset(world.owner, world.workspaceId, settings)
  const imported = await importFile(world.owner, { datasetId: to, name: `records.${format}`, content, body: { mapping } })
  expect(imported).toMatchObject({ status: 'finished', rows: { created: RECORDS, rejected: 0 }, errors: [] })
  expect(await recordsOf(to)).toEqual(await recordsOf(from))
})
