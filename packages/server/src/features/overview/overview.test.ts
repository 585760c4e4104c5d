import { DomainError } from '@postil/domain/errors'
import type { Overview, OverviewQuery, OverviewRecordsQuery } from '@postil/domain/overview'
import { RESPONSE_STATUSES } from '@postil/domain/responses'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { contextOn, createFollowedDataset, type FollowedDataset, loadWithSettings } from '../../search/source/testing/dataset.ts'
import { aWrite, type DatasetWrite, isRefused } from '../../search/source/testing/writes.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { addPublished, addRecords, openTestTeam } from '../datasets/testing/datasets.ts'
import { createResponse, deleteResponse } from '../responses/write.ts'
import { getDatasetOverview } from './get.ts'
import { listOverviewRecords } from './list-records.ts'
import { createTallies } from './tallies.ts'
import { countPlainly } from './testing/plain.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

/** A clock that advances by seconds and sometimes by hours, which produces several days, breaks and a pace. */
function openUnevenClock(start = Date.parse('2026-11-01T20:00:00Z')): () => string {
  let [now, steps] = [start, 0]
  return () => {
    steps++
    now += steps % 41 === 0 ? 7 * 3_600_000 : (steps % 7) * 900 + 1
    return `${new Date(now).toISOString().slice(0, -1)}000`
  }
}

/** Repeats the request until everything has been read. */
async function readWhole(ctx: RequestContext, datasetId: string, query: OverviewQuery): Promise<Overview> {
  for (let asked = 0; asked < 1_000; asked++) {
    const overview = await getDatasetOverview(ctx, datasetId, query)
    if (overview.reading === null) return overview
    expect(overview.reading.done).toBeLessThanOrEqual(overview.reading.total)
  }
  throw new Error('it was never read whole')
}

const QUERY = { days: 5, utc_offset: 90 }

async function compare(followed: FollowedDataset): Promise<void> {
  const { owner, datasetId } = followed
  const { reading: _reading, ...found } = await readWhole(owner, datasetId, QUERY)
  const { dataset, settings } = await loadWithSettings(owner.db, datasetId)
  const asked = { days: QUERY.days, utcOffset: QUERY.utc_offset, now: owner.now() }
  expect(found).toEqual(await countPlainly(owner.db, dataset, settings, asked))
  await compareRecords(followed, found)
}

/** Checks that each number of a user and of an agent has the expected number of records. */
async function compareRecords(
  { owner, datasetId }: FollowedDataset,
  { people, agents }: Pick<Overview, 'people' | 'agents'>,
): Promise<void> {
  const find = (query: OverviewRecordsQuery) => listOverviewRecords(owner, datasetId, { limit: 100, ...query })
  for (const { id: user_id, ...counts } of people)
    for (const status of RESPONSE_STATUSES) {
      const { total, items } = await find({ user_id, status })
      expect([total, items.length]).toEqual([counts[status], Math.min(100, counts[status])])
      for (const { id } of items.slice(0, 3)) {
        const text = 'select p.status from responses p join records r on r.no = p.record_no where r.id = ? and p.user_id = ?'
        expect(await owner.db.sql.column(text, [id, user_id])).toEqual([status])
      }
    }
  for (const { question, agent, ...counts } of agents)
    for (const accepted of [true, false]) {
      const { total } = await find({ question, agent: agent ?? '', accepted, status: 'submitted' })
      const answers = accepted ? counts.accepted : counts.answered - counts.accepted
      // Several users may have answered the same record.
      expect(total).toBeLessThanOrEqual(answers)
      expect(total > 0).toBe(answers > 0)
    }
}

async function apply(write: DatasetWrite, followed: FollowedDataset): Promise<void> {
  try {
    await write(followed)
  } catch (error) {
    if (!isRefused(error)) throw error
  }
}

eachDatabase(db => {
  const runs = { numRuns: 20, endOnFailure: true }

  test('equals a plain count after random writes, read at once or in slices between them', { timeout: 120_000 }, async () => {
    const writes = fc.array(fc.tuple(aWrite, fc.boolean()), { minLength: 5, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(writes, fc.boolean(), async (writes, isSliced) => {
        // A time slice of 0 ms: each request reads one block.
        const tallies = isSliced ? createTallies({ sliceMs: 0, recordsPerBlock: 2 }) : createTallies()
        const ctx = { ...contextOn(opened, db()), now: openUnevenClock(), tallies }
        const followed = await createFollowedDataset(ctx)
        for (const [write, isAsked] of writes) {
          await apply(write, followed)
          if (isAsked) await getDatasetOverview(followed.owner, followed.datasetId, QUERY)
        }
        await compare(followed)
      }),
      runs,
    )
  })
})

const team = await openTestTeam()
afterAll(() => team.ctx.close())

test('a dataset without records has nothing to count', async () => {
  const { id } = await addPublished(team)
  const overview = await getDatasetOverview(team.admin, id, {})
  expect(overview).toMatchObject({
    reading: null,
    records: { total: 0, completed: 0, in_progress: 0, not_started: 0 },
    forecast: null,
    people: [],
    agents: [],
  })
  expect(overview.days).toHaveLength(30)
})

test('is for owners and for admins of the workspace', async () => {
  const { id } = await addPublished(team)
  for (const ctx of [team.owner, team.admin]) await expect(getDatasetOverview(ctx, id, {})).resolves.toBeDefined()
  for (const ctx of [team.annotator, team.strangeAdmin, team.strangeAnnotator])
    await expect(getDatasetOverview(ctx, id, {})).rejects.toThrow(DomainError)
})

test('follows a response that comes, goes and comes again', async () => {
  const { id } = await addPublished(team)
  const [record] = await addRecords(team.ctx, id, [null, null])
  if (!record) throw new Error('no record')
  const counts = async () => {
    const { records, responses, questions } = await getDatasetOverview(team.admin, id, {})
    return { records, ...responses, answered: questions.map(({ answered }) => answered) }
  }
  expect(await counts()).toMatchObject({ submitted: 0, answered: [0] })

  const values = { mood: { value: 'fine' } }
  const response = await createResponse(team.annotator, record.id, { status: 'draft', values })
  expect(await counts()).toMatchObject({ draft: 1, submitted: 0, records: { in_progress: 1, not_started: 1 } })
  await deleteResponse(team.annotator, response.id, {})
  await createResponse(team.annotator, record.id, { status: 'submitted', values })
  expect(await counts()).toMatchObject({ draft: 0, submitted: 1, answered: [1], records: { completed: 1, in_progress: 0 } })
})

test('concurrent requests share what is read', async () => {
  const { id } = await addPublished(team)
  const records = await addRecords(team.ctx, id, new Array(20).fill(null))
  for (const { id } of records)
    await createResponse(team.annotator, id, { status: 'submitted', values: { mood: { value: 'x' } } })
  const admin = { ...team.admin, tallies: createTallies({ sliceMs: 0, recordsPerBlock: 3 }) }
  const first = await Promise.all(Array.from({ length: 4 }, () => getDatasetOverview(admin, id, {})))
  expect(first.map(({ reading }) => reading?.done ?? 0).sort((a, b) => a - b)).toEqual([3, 6, 9, 12])
  expect((await readWhole(admin, id, {})).responses.submitted).toBe(20)
})

test('records behind a number are listed page by page, and a question that does not exist is named', async () => {
  const { id } = await addPublished(team)
  const records = await addRecords(team.ctx, id, new Array(5).fill(null))
  for (const { id } of records)
    await createResponse(team.annotator, id, { status: 'submitted', values: { mood: { value: 'x' } } })
  const page = await listOverviewRecords(team.admin, id, { status: 'submitted', offset: 3, limit: 1 })
  expect(page).toEqual({ reading: false, total: 5, offset: 3, place: null, items: [{ id: records[3]?.id, external_id: null }] })
  expect((await listOverviewRecords(team.admin, id, { offset: 5 })).items).toEqual([])
  expect((await listOverviewRecords(team.admin, id, { record_status: 'pending' })).total).toBe(0)
  expect((await listOverviewRecords(team.admin, id, { user_id: team.ctx.newId() })).total).toBe(0)
  const around = async (at: number, query: OverviewRecordsQuery = {}) => {
    const found = await listOverviewRecords(team.admin, id, { ...query, record_id: records[at]?.id ?? '', limit: 3 })
    return [found.place, ...found.items.map(item => records.findIndex(record => record.id === item.id))]
  }
  expect(await around(0)).toEqual([0, 0, 1, 2])
  expect(await around(1)).toEqual([1, 0, 1, 2])
  expect(await around(4)).toEqual([4, 3, 4])
  const third = await createResponse(team.admin, records[2]?.id ?? '', { status: 'discarded', values: {} })
  // The page is around the place of a record that is not listed itself.
  expect(await around(4, { user_id: team.admin.actor.id })).toEqual([1, 2])
  expect(await around(0, { status: 'discarded' })).toEqual([0, 2])
  expect(third.status).toBe('discarded')
  const [elsewhere] = await addRecords(team.ctx, (await addPublished(team)).id, [null])
  await expect(listOverviewRecords(team.admin, id, { record_id: elsewhere?.id ?? '' })).rejects.toThrow('Record with id')
  await expect(listOverviewRecords(team.admin, id, { question: 'none' })).rejects.toThrow('`none` is not a question')
  await expect(listOverviewRecords(team.admin, id, { value: 'x' })).rejects.toThrow('name it in `question`')
  await expect(listOverviewRecords(team.annotator, id, {})).rejects.toThrow(DomainError)
})
