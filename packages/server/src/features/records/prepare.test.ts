/** A bulk prepared in another thread has the same effect as the same bulk prepared by the writer. */
import { DomainError } from '@postil/domain/errors'
import type { RecordUpsert } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Call, Reply } from '../../http/call.ts'
import { createCheckCall } from '../../http/check-call.ts'
import { createRunCall } from '../../http/run-call.ts'
import { aRecord, type Draw, toRecord } from '../../search/source/testing/arbitrary.ts'
import { createFollowedDataset, type FollowedDataset, settingsOf } from '../../search/source/testing/dataset.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { checkFirst } from '../../threads/check-first.ts'
import { ROUTES } from '../all.ts'
import { loadDataset } from '../datasets/store.ts'
import { updateDataset } from '../datasets/update.ts'
import { verifyDataset } from '../datasets/verify.ts'
import { createVectorsSettings } from '../vectors-settings/create.ts'
import { checkNewRecord } from './check-item.ts'

const runCall = createRunCall(ROUTES)
const checkCall = createCheckCall(ROUTES)

const BULKS = ['createRecordsBulk', 'upsertRecordsBulk', 'createRecords'] as const
type Bulk = (typeof BULKS)[number]

const toCall = ({ owner, datasetId }: FollowedDataset, routeId: string, body: string): Call => ({
  routeId,
  params: { dataset_id: datasetId },
  search: '',
  contentType: null,
  body: new TextEncoder().encode(body),
  actor: owner.actor,
  refusal: null,
  sender: owner.sender,
  requestId: 'test',
})

const whole = ({ ctx }: FollowedDataset, call: Call): Promise<Reply> => runCall(ctx, call)
const prepared = ({ ctx }: FollowedDataset, call: Call): Promise<Reply> =>
  checkFirst(call, { check: given => checkCall(ctx, given), send: given => runCall(ctx, given) })

const textOf = ({ status, body }: Reply) => ({ status, text: new TextDecoder().decode(body ?? undefined) })

/** Returns a context that produces the same ids and times for the same calls. */
function countingFrom(opened: TestContext): TestContext {
  let ids = 0
  let times = Date.parse('2026-01-01T00:00:00Z')
  return {
    ...opened,
    newId: () => `00000000-0000-7000-8000-${String(++ids).padStart(12, '0')}`,
    now: () => `${new Date(++times).toISOString().slice(0, 23)}001`,
  }
}

async function addDataset(ctx: TestContext): Promise<FollowedDataset> {
  const followed = await createFollowedDataset(ctx)
  await createVectorsSettings(followed.owner, followed.datasetId, { name: 'v', title: 'V', dimensions: 2 })
  return followed
}

let opened: TestContext[]
let twins: TestContext[]
beforeAll(async () => {
  opened = [await openTestContext(), await openTestContext()]
  twins = opened.map(countingFrom)
})
afterAll(async () => {
  for (const ctx of opened) await ctx.close()
})

const TABLES = ['records', 'suggestions', 'responses', 'response_history', 'vectors', 'text_segments', 'changes', 'dataset_heads']
const dump = async ({ db }: TestContext) =>
  Object.fromEntries(await Promise.all(TABLES.map(async table => [table, await db.sql.all(`select * from ${table}`)])))

const FAULTS: Record<string, (item: RecordUpsert) => object> = {
  'no fields': item => ({ ...item, fields: null }),
  'empty fields': item => ({ ...item, fields: {} }),
  'only metadata': ({ metadata = null }) => ({ metadata }),
  'unknown field': item => ({ ...item, fields: { ...item.fields, other: 'x' } }),
  'unknown user': item => ({
    ...item,
    responses: [...(item.responses ?? []), toResponse('00000000-0000-7000-8000-000000000000')],
  }),
  'invalid metadata': item => ({ ...item, metadata: { count: 10 } }),
  'two suggestions': item => ({ ...item, suggestions: [...(item.suggestions ?? []), ...(item.suggestions ?? [])] }),
  'invalid vector': item => ({ ...item, vectors: { v: [1] } }),
  'invalid label': item => ({ ...item, responses: (item.responses ?? []).map(({ user_id }) => toResponse(user_id, 'Z')) }),
  'long role': item => ({ ...item, fields: { ...item.fields, talk: [{ role: 'r'.repeat(30), content: 'x' }] } }),
  'invalid shape': item => ({ ...item, metadata: 'none' }),
}
/** Faults that are reported as schema errors. */
const NOT_RULES = ['no fields', 'only metadata', 'long role', 'invalid shape']
const toResponse = (user_id: string, value = 'a') => ({ user_id, status: 'submitted' as const, values: { label: { value } } })

/** Records with agents that are valid in requests. */
const aSentRecord = aRecord.map(
  (draw): Draw => ({
    ...draw,
    suggested: Object.fromEntries(
      Object.entries(draw.suggested).map(([name, given]) => [name, { ...given, agent: given.agent && 'model-1' }]),
    ),
  }),
)

interface DrawnItem {
  draw: Draw
  fault: string | null
  vector: number[] | null
  /** Index of an existing record. */
  index: number | null
  name: number | null
}

const anItem: fc.Arbitrary<DrawnItem> = fc.record({
  draw: aSentRecord,
  fault: fc.option(fc.constantFrom(...Object.keys(FAULTS)), { freq: 6 }),
  vector: fc.option(fc.array(fc.constantFrom(0, -0, 1.5, 1e-300), { minLength: 2, maxLength: 2 })),
  index: fc.option(fc.nat(9)),
  name: fc.option(fc.nat(9)),
})
const noFault = anItem.map(item => ({ ...item, fault: null }))
const aBulk = fc.record({
  route: fc.constantFrom(...BULKS),
  /** Repeated, because the second upsert changes nothing. */
  times: fc.constantFrom(1, 2),
  items: fc.oneof(fc.array(noFault, { minLength: 1, maxLength: 4 }), fc.array(anItem, { minLength: 1, maxLength: 4 })),
})

async function toItems(followed: FollowedDataset, route: Bulk, drawn: readonly DrawnItem[]): Promise<RecordUpsert[]> {
  const { ctx, questionIds, annotators, datasetId } = followed
  const ids = await ctx.db.sql.column<Id>(
    'select id from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no',
    [datasetId],
  )
  const userIds = annotators.map(({ actor }) => actor.id)
  return drawn.map(({ draw, fault, vector, index, name }) => {
    const item: RecordUpsert = toRecord(draw, questionIds, userIds)
    if (vector) item.vectors = { v: vector }
    if (name !== null) item.external_id = `name ${name}`
    const id = index === null ? undefined : ids[index]
    if (route === 'upsertRecordsBulk' && id !== undefined) item.id = id
    return (fault === null ? item : FAULTS[fault]?.(item)) as RecordUpsert
  })
}

test('random bulks, valid and not, store the same rows and segments and are answered alike', async () => {
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(fc.array(aBulk, { minLength: 1, maxLength: 5 }), async bulks => {
      const [left, right] = (await Promise.all(twins.map(addDataset))) as [FollowedDataset, FollowedDataset]
      for (const { route, items, times } of bulks) {
        const body = JSON.stringify({ items: await toItems(left, route, items) })
        for (let sent = 0; sent < times; sent++) {
          const answered = textOf(await whole(left, toCall(left, route, body)))
          expect(textOf(await prepared(right, toCall(right, route, body)))).toEqual(answered)
          statuses.add(answered.status)
        }
      }
      expect(await dump(right.ctx as TestContext)).toEqual(await dump(left.ctx as TestContext))
      const dataset = await loadDataset(right.ctx.db, right.datasetId)
      expect((await verifyDataset(right.ctx, dataset, () => {})).differences).toEqual([])
    }),
    { numRuns: 40 },
  )
  expect([...statuses].sort()).toEqual([200, 201, 204, 422])
})

test('the first rule that a new record breaks is the one that is answered', async () => {
  const followed = await addDataset(twins[1] as TestContext)
  const { rules } = await settingsOf(followed.ctx.db, followed.datasetId)
  const userIds = new Set(followed.annotators.map(({ actor }) => actor.id))
  const faults = Object.keys(FAULTS).filter(fault => !NOT_RULES.includes(fault))
  const faulty = fc.record({ draw: aSentRecord, faults: fc.shuffledSubarray(faults, { maxLength: 3 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(faulty, { minLength: 1, maxLength: 3 }), async drawn => {
      const items = drawn.map(({ draw, faults }) =>
        faults.reduce<RecordUpsert>(
          (item, fault) => FAULTS[fault]?.(item) as RecordUpsert,
          toRecord(draw, followed.questionIds, [...userIds]),
        ),
      )
      const [first] = items.flatMap((item, index) => {
        try {
          checkNewRecord(item, rules, userIds)
          return []
        } catch (error) {
          return error instanceof DomainError ? error.under('items', index).explanation : []
        }
      })
      const { status, text } = textOf(await prepared(followed, toCall(followed, 'createRecordsBulk', JSON.stringify({ items }))))
      expect([status, status === 201 ? undefined : JSON.parse(text).detail]).toEqual(first ? [422, first] : [201, undefined])
    }),
    { numRuns: 60 },
  )
})

describe('a prepared bulk', () => {
  const ONE = '{"items":[{"fields":{"body":"green apple"},"vectors":{"v":[1.0,2e0]}}]}'

  test.each(BULKS.slice(0, 2))('%s answers vectors with the text they came from', async route => {
    const followed = await addDataset(twins[0] as TestContext)
    expect(textOf(await prepared(followed, toCall(followed, route, ONE))).text).toContain('"vectors":{"v":[1.0,2e0]}')
  })

  /** Changes the settings before each of the first `changes` calls to the writer. */
  async function sendWithChanges(followed: FollowedDataset, call: Call, changes: number) {
    const sent: ('prepared' | 'whole')[] = []
    const reply = await checkFirst(call, {
      check: given => checkCall(followed.ctx, given),
      send: async given => {
        sent.push(given.prepared ? 'prepared' : 'whole')
        const allow_extra_metadata = sent.length % 2 === 0
        if (sent.length <= changes) await updateDataset(followed.owner, followed.datasetId, { allow_extra_metadata })
        return runCall(followed.ctx, given)
      },
    })
    return { sent, ...textOf(reply) }
  }

  const EXTRA = '{"items":[{"fields":{"body":"green"},"metadata":{"extra":1}}]}'
  const REFUSED = expect.stringContaining('at items.0.metadata')
  test.each([
    { changes: 0, sent: ['prepared'], status: 201, text: expect.stringContaining('"extra":1') },
    { changes: 1, sent: ['prepared', 'prepared'], status: 422, text: REFUSED },
    { changes: 2, sent: ['prepared', 'prepared', 'prepared'], status: 201, text: expect.stringContaining('"extra":1') },
    { changes: 3, sent: ['prepared', 'prepared', 'prepared', 'whole'], status: 422, text: REFUSED },
  ])('whose settings change $changes times is checked against the latest ones', async ({ changes, ...expected }) => {
    const followed = await addDataset(twins[0] as TestContext)
    expect(await sendWithChanges(followed, toCall(followed, 'createRecordsBulk', EXTRA), changes)).toEqual(expected)
    const { records_count } = await loadDataset(followed.ctx.db, followed.datasetId)
    expect(records_count).toBe(expected.status === 201 ? 1 : 0)
  })

  test.each([
    ['an unknown dataset', { params: { dataset_id: '00000000-0000-7000-8000-000000000000' } }, 404],
    ['no credentials', { actor: null, refusal: 'none' }, 401],
  ])('for %s gets the usual response', async (_name, part, status) => {
    const followed = await addDataset(twins[0] as TestContext)
    const call = () => ({ ...toCall(followed, 'upsertRecordsBulk', ONE), ...part })
    const answered = textOf(await prepared(followed, call()))
    expect(answered).toEqual(textOf(await whole(followed, call())))
    expect(answered.status).toBe(status)
  })
})
