/**
 * Merges of stored segments on both databases. Segments must contain the texts of all existing records, regardless of concurrent
 * changes.
 */
import { PLAIN_QUERY } from '@postil/domain/testing/plain-search'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../context.ts'
import { deleteSomeSegments, findSegmentBytes, listSegments, replaceSegments } from '../../storage/text-segments.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import type { TextDocument } from '../engine.ts'
import { type PlainQuery, plainlyMatches, plainScore } from '../segments/plain.contract.ts'
import { openSegment } from '../segments/segment.ts'
import { FIELDS, pieces, textQuery } from '../segments/testing/random-texts.ts'
import { mergeTexts } from './merge-texts.ts'
import { StoredTexts } from './testing/stored-texts.ts'

const RECORDS = 12
const FIELD_NAMES = Array.from({ length: FIELDS }, (_, i) => `field ${i}`)
const pause = async () => {}

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

const put = fc.record({
  kind: fc.constant('put' as const),
  documents: fc.uniqueArray(
    fc.record({ at: fc.nat({ max: RECORDS - 1 }), pieces: fc.array(pieces, { minLength: FIELDS, maxLength: FIELDS }) }),
    { minLength: 1, maxLength: 3, selector: ({ at }) => at },
  ),
})
const change = fc.oneof(
  { weight: 5, arbitrary: put },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat({ max: RECORDS - 1 }) }) },
)
const merge = fc.record({ kind: fc.constant('merge' as const), meanwhile: fc.array(change, { maxLength: 3 }) })
const steps = fc.array(fc.oneof({ weight: 8, arbitrary: change }, { weight: 1, arbitrary: merge }), {
  minLength: 20,
  maxLength: 50,
  size: 'max',
})
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never

describe('merges of stored texts', () => {
  eachDatabase(db => {
    let ctx: Context
    let texts: StoredTexts
    /** Record numbers are not reused. */
    let firstNo = 1
    beforeEach(async () => {
      ctx = { ...opened, db: db() }
      await begin()
    })
    async function begin(): Promise<void> {
      texts = await StoredTexts.open(ctx)
      firstNo += 100
    }
    const document = (at: number, text: string): TextDocument => ({ recordNo: firstNo + at, pieces: [[text], null] })
    const store = async (count: number) => {
      for (let i = 0; i < count; i++) await texts.put([document(i, `text ${i}`)])
    }
    const mergeNext = () => mergeTexts(ctx.db, texts.datasetId, pause)
    const replace = (merged: Awaited<ReturnType<typeof mergeNext>>) =>
      merged === null ? null : replaceSegments(ctx.db, texts.datasetId, merged)

    async function run(step: Step, deleted: Set<number>): Promise<number> {
      if (step.kind === 'merge') {
        const merged = await mergeNext()
        for (const one of step.meanwhile) await run(one, deleted)
        return (await replace(merged)) ? 1 : 0
      }
      if (step.kind === 'delete') {
        deleted.add(step.at)
        await texts.delete(firstNo + step.at)
        return 0
      }
      const left = step.documents.filter(({ at }) => !deleted.has(at))
      if (left.length > 0) await texts.put(left.map(one => ({ recordNo: firstNo + one.at, pieces: one.pieces })))
      return 0
    }

    async function checkQueries(queries: readonly PlainQuery[]): Promise<void> {
      const index = await texts.openIndex(FIELD_NAMES)
      const documents = [...texts.documents.values()]
      for (const { tree, field } of queries) {
        const asked = { tree, field: field === null ? null : (FIELD_NAMES[field] ?? 'unknown') }
        const { hits } = index.search({ ...PLAIN_QUERY, text: asked, limit: RECORDS })
        const expected = documents.filter(one => plainlyMatches(one, { tree, field }))
        expect(hits.map(({ recordNo }) => recordNo).toSorted((a, b) => a - b)).toEqual(
          expected.map(({ recordNo }) => recordNo).toSorted((a, b) => a - b),
        )
        for (const { recordNo, score } of hits) {
          const found = texts.documents.get(recordNo) as TextDocument
          expect(score).toBeCloseTo(plainScore(documents, found, { tree, field }), 9)
        }
      }
    }

    test('after random writes, deletions and merges, searches find and score what the plain computation does', async () => {
      let merges = 0
      const property = fc.asyncProperty(steps, fc.array(textQuery, { minLength: 5, maxLength: 5 }), async (all, queries) => {
        await begin()
        const deleted = new Set<number>()
        for (const step of all) merges += await run(step, deleted)
        merges += (await replace(await mergeNext())) ? 1 : 0
        await checkQueries(queries)
      })
      await fc.assert(property, { numRuns: 30 })
      expect(merges).toBeGreaterThan(30)
    })

    test('a merge leaves out texts that were replaced, and those of deleted records', async () => {
      await store(6)
      for (const text of ['second', 'third']) await texts.put([document(0, text), document(7, text)])
      await texts.delete(firstNo + 3)
      const merged = await mergeNext()
      expect(merged).toMatchObject({
        previousNo: null,
        segmentNos: [1, 2, 3, 4, 5, 6, 7, 8],
        merged: { first_record_no: firstNo, last_record_no: firstNo + 7, record_count: 6 },
      })
      const segment = openSegment(merged?.merged?.bytes ?? new Uint8Array())
      expect([...segment.recordNos()]).toEqual([1, 2, 4, 5, 0, 7].map(at => firstNo + at))
      expect(segment.fields[0]?.find('third')?.documents).toBe(2)
      expect(segment.fields[0]?.find('second')).toBeNull()
    })

    test('nothing is merged without need, and a merge that is not stored changes nothing', async () => {
      await store(7)
      expect(await mergeNext()).toBeNull()
      await store(8)
      const [before, bytes] = [await listSegments(ctx.db, texts.datasetId), await findSegmentBytes(ctx.db, texts.datasetId, 15)]
      expect((await mergeNext())?.segmentNos).toHaveLength(15)
      expect(await listSegments(ctx.db, texts.datasetId)).toEqual(before)
      expect(await findSegmentBytes(ctx.db, texts.datasetId, 15)).toEqual(bytes)
    })

    test('a merge stops where it pauses, if that fails', async () => {
      await store(8)
      const stopped = mergeTexts(ctx.db, texts.datasetId, () => Promise.reject(new Error('closed')))
      await expect(stopped).rejects.toThrow('closed')
    })

    test('of two that merge the same segments, one is stored', async () => {
      await store(8)
      const both = [await mergeNext(), await mergeNext()]
      // An SQLite connection runs one transaction at a time.
      const isOneByOne = ctx.db.dialect.name === 'sqlite'
      const outcomes = isOneByOne
        ? [await replace(both[0] ?? null), await replace(both[1] ?? null)]
        : await Promise.all(both.map(replace))
      expect(outcomes.toSorted()).toEqual([false, true])
      expect(await texts.segmentNos()).toEqual([8])
    })

    test('what was merged meanwhile by another is not stored again', async () => {
      await store(9)
      const first = await mergeNext()
      expect(first?.segmentNos).toHaveLength(9)
      const other = await mergeNext()
      await replace(other)
      await store(8)
      expect(await replace(first)).toBe(false)
      expect(await texts.segmentNos()).toEqual([9, 10, 11, 12, 13, 14, 15, 16, 17])
    })

    test('a dataset that is deleted meanwhile gets no segment', async () => {
      await store(8)
      const merged = await mergeNext()
      await deleteSomeSegments(ctx.db, texts.datasetId, 1)
      expect(await replace(merged)).toBe(false)
      await deleteSomeSegments(ctx.db, texts.datasetId, 100)
      expect(await replace(merged)).toBe(false)
      expect(await texts.segmentNos()).toEqual([])
      expect(await mergeNext()).toBeNull()
    })

    test('segments of which no record is left are replaced by none', async () => {
      await store(8)
      for (let i = 0; i < 8; i++) await texts.delete(firstNo + i)
      const merged = await mergeNext()
      expect(merged?.merged).toBeNull()
      expect(await replace(merged)).toBe(true)
      expect(await texts.segmentNos()).toEqual([])
    })

    test('more records than a statement takes', async () => {
      const many = Array.from({ length: 350 }, (_, i) => i)
      for (let part = 0; part < 8; part++) {
        await texts.put(many.map(i => ({ recordNo: 1_000_000 + firstNo * 10_000 + part * 350 + i, pieces: [['same'], null] })))
      }
      expect((await mergeNext())?.merged).toMatchObject({ record_count: 2_800 })
    })
  })
})
