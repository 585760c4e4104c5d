/** Table-driven tests of the counts that every engine must return. random.contract.ts adds random cases. */
import { type CountsBody, resolveCounts } from '@postil/domain/search/counts'
import { countNaively } from '@postil/domain/search/naive-counts'
import { describe, expect, test } from 'vitest'
import { deleteDataset } from '../features/datasets/delete.ts'
import { ANN, addRecords, BEN, type Corpus, createTestDataset, readCorpus, runCounts, toDraft } from './corpus.contract.ts'

const source = { entity: 'metadata', metadata_property: 'source' }
const length = { entity: 'metadata', metadata_property: 'length' }
const weight = { entity: 'metadata', metadata_property: 'weight' }
const suggestion = (question: string, property = 'value') => ({ entity: 'suggestion', question, property })
const response = (question: string) => ({ entity: 'response', question })
const terms = (scope: object, ...values: string[]) => ({ type: 'terms', scope, values })
const text = (q: string) => ({ text: { q } })
const valued = (...values: [value: string, count: number][]) => ({
  values: values.map(([value, count]) => ({ value, count })),
  other: 0,
})

/** The queue counts are pending, draft, discarded, submitted. */
const QUEUE_ROWS: [body: object, queues: [number, number, number, number], total: number, user: number][] = [
  [{}, [5, 1, 0, 1], 8, ANN],
  [{}, [5, 1, 1, 0], 8, BEN],
  [{ response_status: 'pending' }, [5, 1, 0, 1], 5, ANN],
  [{ response_status: 'draft' }, [5, 1, 0, 1], 1, ANN],
  [{ query: text('green') }, [2, 0, 0, 1], 4, ANN],
  [{ query: text('green'), response_status: 'submitted' }, [2, 0, 0, 1], 1, ANN],
  [{ query: text('-green') }, [3, 1, 0, 0], 4, ANN],
  [{ query: text('zzz') }, [0, 0, 0, 0], 0, ANN],
  [{ query: text('') }, [0, 0, 0, 0], 0, ANN],
  [{ filters: { and: [terms(source, 'web', 'book', 'Web')] } }, [0, 1, 1, 0], 2, BEN],
  [{ filters: { and: [terms({ entity: 'record', property: 'status' }, 'completed')] } }, [0, 0, 0, 1], 2, ANN],
]

const TARGET_ROWS: [body: object, of: object, count: object, user?: number][] = [
  [{}, source, valued(['10', 1], ['2', 1], ['Web', 1], ['book', 1], ['web', 1])],
  [{ query: text('green') }, source, valued(['Web', 1], ['book', 1], ['web', 1])],
  [{ filters: { and: [terms(source, 'web')] } }, source, valued(['web', 1])],
  [
    { filters: { and: [terms(source, 'web')] }, exclude_own: true },
    source,
    valued(['10', 1], ['2', 1], ['Web', 1], ['book', 1], ['web', 1]),
  ],
  [{ filters: { and: [terms(source, 'web')] }, exclude_own: true }, suggestion('topic'), valued(['food', 1])],
  [{ query: text('zzz') }, source, valued()],
  [{}, suggestion('topic'), valued(['food', 2], ['drink', 1])],
  [{}, suggestion('stars'), valued(['2', 1], ['4', 1])],
  [{}, suggestion('topic', 'agent'), valued(['M1', 1], ['m1', 1])],
  [{}, suggestion('topic', 'type'), valued(['model', 2])],
  [{}, response('topic'), valued(['food', 1]), ANN],
  [{}, response('topic'), valued(['drink', 1], ['food', 1]), BEN],
  [{ response_status: 'discarded' }, response('topic'), valued(['food', 1]), BEN],
  [{}, response('stars'), valued(['4', 1], ['5', 1]), ANN],
]

const toCounts = (corpus: Corpus, body: object, user: number) => {
  const userId = corpus.users[user] ?? ''
  return resolveCounts(body as CountsBody, corpus.dataset, { userId, hidesMetadata: false, now: '2026-11-15T12:00:00.000001' })
}

export function countContract(opened: () => Corpus): void {
  const count = async (body: object, user: number, corpus = opened()) => {
    const query = toCounts(corpus, body, user)
    const counts = await runCounts(corpus, query)
    expect(counts).toEqual(countNaively(corpus.documents, query))
    return counts
  }

  describe('counts', () => {
    test.each(QUEUE_ROWS)('under %j there are %j in the queues, and %i in all', async (body, queues, total, user) => {
      const { by_status, ...counts } = await count(body, user)
      const { pending, draft, discarded, submitted } = by_status
      expect([[pending, draft, discarded, submitted], counts.total]).toEqual([queues, total])
    })

    test.each(TARGET_ROWS)('under %j the values of %j are %j', async (body, of, expected, user = ANN) => {
      expect((await count({ ...body, of: [of] }, user)).targets).toEqual([expected])
    })

    test.each<[body: object, of: object, bounds: [number | null, number | null], counts: number[]]>([
      [{}, weight, [Math.fround(0.1), 2.5], [1, ...Array(18).fill(0), 1]],
      [{ query: text('pie') }, weight, [Math.fround(0.1), Math.fround(0.1)], [1, ...Array(19).fill(0)]],
      [{ query: text('zzz') }, weight, [null, null], Array(20).fill(0)],
      [{ query: text('fox'), response_status: 'pending' }, length, [-1, -1], [1, ...Array(19).fill(0)]],
      [{}, suggestion('note', 'score'), [null, null], []],
    ])('under %j the numbers of %j are within %j', async (body, of, bounds, counts) => {
      const [numbers] = (await count({ ...body, of: [of] }, ANN)).targets
      if (numbers === undefined || !('buckets' in numbers)) throw new Error('these are numbers')
      expect([[numbers.min, numbers.max], numbers.buckets.map(bucket => bucket.count)]).toEqual([bounds, counts])
    })

    test('buckets reach over all numbers, whatever matches', async () => {
      const [numbers] = (await count({ query: text('pie'), of: [weight] }, ANN)).targets
      if (numbers === undefined || !('buckets' in numbers)) throw new Error('these are numbers')
      expect([numbers.buckets[0]?.from, numbers.buckets.at(-1)?.to]).toEqual([Math.fround(0.1), 2.5])
    })

    test('scores lie in twentieths of 0 to 1, a record once in each that holds one of its scores', async () => {
      const [scores] = (await count({ of: [suggestion('topic', 'score')] }, BEN)).targets
      if (scores === undefined || !('buckets' in scores)) throw new Error('scores are numbers')
      expect([scores.min, scores.max, scores.buckets.length]).toEqual([0.2, 0.9, 20])
      expect(scores.buckets.filter(bucket => bucket.count > 0).map(({ from, to }) => [from, to])).toEqual([
        [0.2, 0.25],
        [0.7, 0.75],
        [0.9, 0.95],
      ])
    })

    test('several targets are answered in the order they were asked for', async () => {
      const of = [length, source, suggestion('stars'), source]
      const { targets } = await count({ of, filters: { and: [terms(source, 'web', '10')] }, exclude_own: true }, ANN)
      expect(targets.map(target => ('values' in target ? target.values.length : target.max))).toEqual([3, 5, 2, 5])
    })

    test('beyond a thousand values the rest is counted together', async () => {
      const followed = await createTestDataset(opened().followed.ctx)
      const sourceOf = (i: number) => (i === 7 ? ['v7', 'twice'] : i === 8 ? ['twice'] : [`v${i}`])
      await addRecords(
        followed,
        Array.from({ length: 1003 }, (_, i) => ({ metadata: { source: sourceOf(i) } })),
      )
      const [counted] = (await count({ of: [source] }, ANN, await readCorpus(followed))).targets
      if (counted === undefined || !('values' in counted)) throw new Error('terms are values')
      expect([counted.values.length, counted.values[0], counted.other]).toEqual([1000, { value: 'twice', count: 2 }, 3])
      await deleteDataset(followed.owner, followed.datasetId)
    })

    test('records whose numbers lie far apart, because another dataset grew beside theirs, are counted the same', async () => {
      const { ctx } = opened().followed
      const [mine, other] = [await createTestDataset(ctx), await createTestDataset(ctx)]
      const withSource = (value: string) => ({ metadata: { source: [value] } })
      await addRecords(mine, [withSource('a'), withSource('b')])
      await addRecords(other, Array(60).fill({}))
      await addRecords(mine, [withSource('a')])
      const { targets } = await count({ of: [source], response_status: 'pending' }, ANN, await readCorpus(mine))
      expect(targets).toEqual([valued(['a', 2], ['b', 1])])
      for (const { owner, datasetId } of [mine, other]) await deleteDataset(owner, datasetId)
    })

    test('a draft has nothing to count', async () => {
      const corpus = opened()
      expect(await runCounts(toDraft(corpus), toCounts(corpus, { of: [source, length] }, ANN))).toEqual({
        total: 0,
        by_status: { pending: 0, draft: 0, discarded: 0, submitted: 0 },
        targets: [valued(), { min: null, max: null, buckets: [] }],
      })
    })
  })
}
