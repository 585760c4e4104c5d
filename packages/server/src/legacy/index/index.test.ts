/** The index and the rows give the same results for any writes and queries. */
import { toDocument } from '@postil/domain/legacy/fields'
import { type Filter, isChosen, type RecordQuery, toFilter } from '@postil/domain/legacy/filter'
import { TASK_RULES } from '@postil/domain/legacy/rules-of'
import type { Task } from '@postil/domain/legacy/tasks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { contextOn } from '../../search/source/testing/dataset.ts'
import type { Queryable } from '../../storage/database.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { type BulkRecord, bulkLegacyRecords } from '../bulk.ts'
import { copyLegacyDataset, createLegacyDataset } from '../datasets.ts'
import { type DatasetRef, loadDataset } from '../datasets-store.ts'
import { findNearest, findRecords } from '../find.ts'
import { deleteFoundRecords, updateLegacyRecord } from '../records.ts'
import { visitRecords } from '../records-store.ts'
import { withIndex } from './indexes.ts'

const WORDS = ['red', 'green', 'blue', 'Café', '京都', 'fox', 'foxes', '👍', 'the', 'quick-brown']

/** Deterministic: the same numbers in every run. */
function openRandom(seed: number) {
  let state = seed
  const next = (count: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
  return { next, pick: <T>(list: readonly T[]): T => list[next(list.length)] as T }
}
type Random = ReturnType<typeof openRandom>

const sentence = (random: Random) => Array.from({ length: 1 + random.next(6) }, () => random.pick(WORDS)).join(' ')

function toRecord(random: Random, id: string): BulkRecord {
  const label = () => ({ class: random.pick(['pos', 'neg']), score: random.pick([0.25, 0.5, 1]) })
  return {
    id,
    inputs: { text: sentence(random), ...(random.next(2) ? { title: sentence(random) } : {}) },
    multi_label: false,
    status: random.pick(['Default', 'Edited', 'Discarded']),
    ...(random.next(3)
      ? { metadata: { split: random.pick(['train', 'test']), n: random.next(5), note: sentence(random), _own: 'x' } }
      : {}),
    ...(random.next(2) ? { prediction: { agent: random.pick(['m1', 'm2']), labels: [label()] } } : {}),
    ...(random.next(2) ? { annotation: { agent: 'ann', labels: [label()] } } : {}),
    ...(random.next(2) ? { vectors: { v: { value: [random.next(9), random.next(9)] } } } : {}),
  } as unknown as BulkRecord
}

const LEAVES: ((random: Random) => string)[] = [
  random => random.pick(WORDS),
  random => `"${sentence(random)}"`,
  random => `"${sentence(random)}"~2`,
  random => `inputs.title:${random.pick(WORDS)}`,
  random => `inputs.title:"${sentence(random)}"`,
  random => `text.exact:${random.pick(WORDS)}`,
  random => random.pick(['f*', '*e', '?he', '/f[a-o]x.*/', 'fxo~1', 'gren~', 'cafe', 'inputs.text:b*']),
  random => `metadata.split:${random.pick(['train', 'test', 't*', 'tran~1'])}`,
  random => `metadata.n:${random.pick(['3', '[1 TO 2]', '>2', '<=0'])}`,
  random => `metadata.note.text:${random.pick(WORDS)}`,
  random => `status:${random.pick(['Default', 'Edited'])}`,
  random =>
    random.pick(['predicted_as:pos', 'annotated_as:neg', 'predicted:ok', 'predicted_by:m1', 'score:>0.4', 'metadata:train']),
  random =>
    random.pick([
      '_exists_:metadata.split',
      '_exists_:inputs.title',
      '_exists_:text',
      '_exists_:nothing',
      '*',
      'metrics.text_length:>20',
    ]),
  random => random.pick(['metadata._own:x', 'predictions.m1.labels.class:pos', 'nothing:red', 'id:r1*', 'annotated_by:ann']),
]

function toQueryText(random: Random, depth = 0): string {
  const kind = depth > 2 ? 0 : random.next(5)
  const inner = () => toQueryText(random, depth + 1)
  if (kind === 1) return `(${inner()} AND ${inner()})`
  if (kind === 2) return `(${inner()} OR ${inner()})`
  if (kind === 3) return `NOT (${inner()})`
  return random.pick(LEAVES)(random)
}

function toQuery(random: Random): RecordQuery {
  return {
    query_text: random.next(4) ? toQueryText(random) : null,
    ...(random.next(4) ? {} : { status: [random.pick(['Default', 'Discarded'] as const)] }),
    ...(random.next(6) ? {} : { metadata: { split: 'train' } }),
    ...(random.next(6) ? {} : { has_annotation: true }),
    ...(random.next(6) ? {} : { uncovered_by_rules: [random.pick(WORDS), `"${sentence(random)}"`] }),
  } as RecordQuery
}

const PLACE: DatasetRef = { workspace: 'words', name: 'followed' }
const TASK: Task = 'TextClassification'

async function idsInRows(ctx: RequestContext, place: DatasetRef, filter: Filter): Promise<string[]> {
  const { no } = await loadDataset(ctx, ctx.db, place)
  const ids: string[] = []
  await visitRecords(ctx.db, no, ({ id, record }) => {
    if (isChosen(filter, toDocument(record, TASK_RULES[TASK]))) ids.push(id)
  })
  return ids
}

const idsInIndex = (ctx: RequestContext, place: DatasetRef, filter: Filter) =>
  ctx.db.snapshot(async db => {
    const found = await findRecords(ctx, db, await loadDataset(ctx, db, place), { filter })
    return found.map(({ id }) => id)
  })

async function expectAgreement(ctx: RequestContext, place: DatasetRef, random: Random, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const query = toQuery(random)
    const filter = toFilter(query)
    const expected = await idsInRows(ctx, place, filter)
    expect(await idsInIndex(ctx, place, filter), JSON.stringify(query)).toEqual(expected)
  }
}

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

eachDatabase(db => {
  let owner: RequestContext
  const random = openRandom(7)
  const bulk = (ids: readonly string[], place = PLACE) =>
    bulkLegacyRecords(owner, { ...place, task: TASK }, { records: ids.map(id => toRecord(random, id)) })
  const idOf = (i: number) => `${i % 7 === 0 ? '😀' : i % 5 === 0 ? '\uFFFD' : 'r'}${i}`
  const create = (name: string) => createLegacyDataset(owner, { name, task: TASK } as never, PLACE.workspace)

  beforeAll(async () => {
    const ctx = contextOn(opened, db())
    await addWorkspace(ctx, PLACE.workspace)
    owner = await actAs(ctx, 'owner')
    await create(PLACE.name)
  })

  test('after every kind of write, the index finds what the rows say', async () => {
    await expectAgreement(owner, PLACE, random, 3)
    await bulk(Array.from({ length: 120 }, (_, i) => idOf(i)))
    await expectAgreement(owner, PLACE, random, 150)
    for (let round = 0; round < 12; round++) {
      await bulk(Array.from({ length: 5 }, () => idOf(random.next(140))))
      await expectAgreement(owner, PLACE, random, 3)
      await updateLegacyRecord(owner, PLACE, idOf(0), { status: 'Validated', metadata: { n: round } })
      await expectAgreement(owner, PLACE, random, 3)
      const ids = Array.from({ length: 4 }, () => idOf(1 + random.next(139)))
      await deleteFoundRecords(owner, { ...PLACE, ids, mark_as_discarded: round % 2 === 0 } as never)
      await expectAgreement(owner, PLACE, random, 3)
      // A record that was deleted and is added again.
      if (round % 3 === 0) await bulk(ids.slice(0, 2))
    }
    await copyLegacyDataset(owner, PLACE, { name: 'copied' } as never)
    await expectAgreement(owner, { ...PLACE, name: 'copied' }, random, 10)
  })

  test('more patterns than an index tries are tried on rows', async () => {
    const query_text = Array.from({ length: 70 }, (_, i) => (i < 69 ? `nothing${i}*` : 'fo*')).join(' OR ')
    const filter = toFilter({ query_text } as RecordQuery)
    const expected = await idsInRows(owner, PLACE, filter)
    expect(expected.length).toBeGreaterThan(5)
    expect(await idsInIndex(owner, PLACE, filter)).toEqual(expected)
  })

  test('pages begin after an id, and end with their limit', async () => {
    for (const query of ['fox OR red', '"red fox" OR green', 'status:Edited', '*']) {
      const filter = toFilter({ query_text: query } as RecordQuery)
      const all = await idsInRows(owner, PLACE, filter)
      const paged: string[] = []
      for (let last = ''; ; last = paged.at(-1) ?? '') {
        const page = await owner.db.snapshot(async snapshot =>
          findRecords(owner, snapshot, await loadDataset(owner, snapshot, PLACE), { filter, after: last, limit: 7 }),
        )
        expect(page.length).toBeLessThanOrEqual(7)
        if (page.length === 0) break
        paged.push(...page.map(({ id }) => id))
      }
      expect(paged, query).toEqual(all)
      expect(all.length).toBeGreaterThan(7)
    }
  })

  test('a read that is ended while the index is built is gone on with by the next one', async () => {
    const place = { ...PLACE, name: 'long' }
    await create(place.name)
    for (let start = 0; start < 3_000; start += 1_000)
      await bulk(
        Array.from({ length: 1_000 }, (_, i) => `n${start + i}`),
        place,
      )
    let [reads, ended] = [0, 0]
    /** Ends every third read, like one that takes too long. */
    const interrupted = (snapshot: Queryable): Queryable => ({
      ...snapshot,
      sql: {
        ...snapshot.sql,
        all: (...given: Parameters<Queryable['sql']['all']>) => {
          if (given[0].includes('change_no, id) >') && ++reads % 3 === 0) return Promise.reject(new Error('ended'))
          return snapshot.sql.all(...given)
        },
      } as Queryable['sql'],
    })
    const read = () =>
      owner.db.snapshot(async snapshot => {
        const dataset = await loadDataset(owner, snapshot, place)
        return withIndex(owner, interrupted(snapshot), dataset, async index => index?.ordinals('').length)
      })
    for (;;) {
      const count = await read().catch(error => {
        expect(error).toMatchObject({ message: 'ended' })
        return null
      })
      if (count !== null) {
        expect(count).toBe(2_998)
        break
      }
      // Rows that were already read may be changed or deleted in the meantime.
      if (ended++ === 0) await deleteFoundRecords(owner, { ...place, ids: ['n1', 'n2'], mark_as_discarded: false } as never)
      await bulk(['n5', 'n2999'], place)
    }
    expect(ended).toBeGreaterThan(1)
    await expectAgreement(owner, place, random, 10)
  })

  test('without memory for an index the rows are read, with the same result', async () => {
    const poor = { ...owner, db: { ...owner.db }, config: { ...owner.config, searchMemoryBytes: 1 } }
    await expectAgreement(poor, PLACE, openRandom(3), 20)
    const index = await poor.db.snapshot(async snapshot =>
      withIndex(poor, snapshot, await loadDataset(poor, snapshot, PLACE), async given => given),
    )
    expect(index).toBeNull()
  })

  test('the nearest are those of the records that match', async () => {
    const nearest = (query_text: string | null) =>
      owner.db.snapshot(async snapshot =>
        findNearest(owner, snapshot, await loadDataset(owner, snapshot, PLACE), {
          filter: toFilter({ query_text } as RecordQuery),
          name: 'v',
          value: [3, 3],
          k: 1_000,
        }),
      )
    const all = await nearest(null)
    expect(all.length).toBeGreaterThan(20)
    const some = new Set(await idsInRows(owner, PLACE, toFilter({ query_text: 'fox' } as RecordQuery)))
    expect(await nearest('fox')).toEqual(all.filter(id => some.has(id)))
  })
})
