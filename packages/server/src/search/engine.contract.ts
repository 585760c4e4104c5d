/**
 * Contract tests for all search engines: table-driven cases, then random cases from fast-check, compared with the naive search of
 * the domain package.
 */

import type { Id } from '@postil/domain/schema'
import type { SearchBody } from '@postil/domain/search/query'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteRecords } from '../features/records/delete.ts'
import { updateRecord } from '../features/records/update.ts'
import { upsertRecordsBulk } from '../features/records/upsert-bulk.ts'
import type { TestContext } from '../testing/context.ts'
import {
  ANN,
  BEN,
  type Corpus,
  compare,
  PICTURE,
  type QueryOptions,
  readCorpus,
  runQuery,
  toDraft,
  toQuery,
} from './corpus.contract.ts'
import { countContract } from './counts.contract.ts'
import { randomSearches } from './random.contract.ts'
import { rebuildContract } from './rebuild.contract.ts'
import { createSeededCorpus } from './seeds.contract.ts'

const ALL = 'apple chat covid dog fox pear swap tokyo'

const TEXT_ROWS: [q: string, names: string, field?: string][] = [
  ['green apple', 'apple chat pear swap'],
  ['GREEN + + Äpple', 'apple chat pear swap'],
  ['pie | sleeps || café', 'apple dog tokyo'],
  ['-apple', 'covid dog fox tokyo'],
  ['-(apple | lazy)', 'covid tokyo'],
  ['--apple', 'apple chat pear swap'],
  ['fox | -dog', 'apple chat covid dog fox pear swap tokyo'],
  ['fox | -apple', 'covid dog fox tokyo'],
  ['"green apple"', 'apple'],
  ['"green apple"~1', 'apple'],
  ['"green apple"~3', 'apple swap'],
  ['"green tree"~9', ''],
  ['-"green apple"~3', 'chat covid dog fox pear tokyo'],
  ['appl*', 'apple chat pear swap'],
  ['covid-1*', ''],
  ['example.c*', 'covid'],
  ['aple~1', 'apple chat pear swap'],
  ['appel~1', ''],
  ['appel~', 'apple chat pear swap'],
  ['zzzzzz~1', ''],
  ['-zzzzzz~1', ALL],
  ['(green pie', 'apple'],
  ['*', ALL],
  ['fox *', ''],
  ['', ''],
  ['f?x', ''],
  ['!fox', 'dog fox'],
  ['quick & fox', ''],
  ['pie | green pear', 'pear'],
  ['covid-19', 'covid'],
  ['19/covid', 'covid'],
  ['news-lazy', ''],
  ['foo_bar 12.5 1,000', 'covid'],
  ["don't", 'covid'],
  ['don', ''],
  ['東京', 'tokyo'],
  ['京東', ''],
  ['がな', 'tokyo'],
  ['cafe', 'tokyo'],
  ['😀', 'tokyo'],
  ['user', 'chat'],
  ['apple', 'apple chat swap', 'prompt'],
  ['apple', 'pear', 'reply'],
  ['-apple', 'apple chat covid dog fox swap tokyo', 'reply'],
  ['green apple', '', 'reply'],
  ['fox', '', 'picture'],
]

const terms = (scope: object, ...values: string[]) => ({ type: 'terms', scope, values })
const range = (scope: object, ge: string | number | null, le: string | number | null) => ({ type: 'range', scope, ge, le })
const record = (property: string) => ({ entity: 'record', property })
const metadata = (metadata_property: string) => ({ entity: 'metadata', metadata_property })
const suggestion = (question: string, property = 'value') => ({ entity: 'suggestion', question, property })
const response = (question: string) => ({ entity: 'response', question })
const responseStatus = { entity: 'response', property: 'status' }

const FILTER_ROWS: [filters: object[], names: string, user?: number][] = [
  [[terms(record('external_id'), 'fox', 'FOX', 'dog')], 'dog fox'],
  [[terms(record('status'), 'completed')], 'apple swap'],
  [[range(record('external_id'), 'd', 'fox')], 'dog fox'],
  [[range(record('inserted_at'), '2020-01-01', null)], ALL],
  [[range(record('inserted_at'), null, '2020')], ''],
  [[terms(metadata('source'), 'web')], 'apple'],
  [[terms(metadata('source'), 'web', 'book', 'Web')], 'apple pear'],
  [[range(metadata('source'), '10', 'Web')], 'dog fox pear'],
  [[terms(metadata('length'), '3.0', '12')], 'apple pear'],
  [[terms(metadata('length'), '5.5')], ''],
  [[range(metadata('length'), 2.5, 12)], 'apple pear'],
  [[range(metadata('length'), null, 3)], 'apple fox'],
  [[terms(metadata('weight'), '0.1')], 'apple'],
  [[range(metadata('weight'), 0.1, 2.5)], 'apple pear'],
  [[terms(suggestion('topic'), 'food')], 'apple pear'],
  [[terms(suggestion('topic'), 'food', 'drink')], 'apple pear'],
  [[range(suggestion('topic'), 'a', 'e')], 'pear'],
  [[terms(suggestion('stars'), '4')], 'apple'],
  [[range(suggestion('stars'), 1.5, null)], 'apple fox'],
  [[terms(suggestion('note'), 'x')], ''],
  [[terms(suggestion('topic', 'score'), '0.9', '0.2')], 'apple pear'],
  [[range(suggestion('topic', 'score'), 0.6, 0.8)], 'pear'],
  [[range(suggestion('topic', 'score'), 0.3, 0.6)], ''],
  [[terms(suggestion('topic', 'agent'), 'm1')], 'apple'],
  [[terms(suggestion('topic', 'type'), 'model')], 'apple pear'],
  [[terms(response('topic'), 'food')], 'apple pear'],
  [[terms(response('topic'), 'food')], 'apple', ANN],
  [[range(response('topic'), 'a', 'e')], 'apple', BEN],
  [[range(response('stars'), 4, null)], 'apple dog'],
  [[terms(response('stars'), '2', '5')], 'dog', ANN],
  [[terms(response('note'), 'x')], ''],
  [[terms(responseStatus, 'submitted')], 'apple swap'],
  [[terms(responseStatus, 'draft')], 'apple dog'],
  [[terms(responseStatus, 'draft')], 'dog', ANN],
  [[terms(responseStatus, 'pending')], 'chat covid fox tokyo'],
  [[terms(responseStatus, 'pending')], 'chat covid fox pear swap tokyo', ANN],
  [[terms(responseStatus, 'pending')], 'chat covid dog fox swap tokyo', BEN],
  [[terms(responseStatus, 'pending', 'discarded')], 'chat covid dog fox pear swap tokyo', BEN],
  [[terms(responseStatus, 'missing', 'Draft')], ''],
  [[terms(responseStatus, 'pending'), terms(record('status'), 'pending')], 'chat covid fox pear tokyo', ANN],
  [[terms(responseStatus, 'submitted'), terms(response('topic'), 'drink')], 'apple'],
  [[terms(metadata('source'), 'web', '2'), range(metadata('length'), 0, 10)], 'apple'],
]

const exists = (scope: object, exists: boolean) => ({ type: 'exists', scope, exists })
const flag = { entity: 'record', property: 'flag' }
const suggested = { entity: 'suggestion' }
const responded = { entity: 'response' }

const EXISTS_ROWS: typeof FILTER_ROWS = [
  [[exists(metadata('source'), true)], 'apple dog fox pear'],
  [[exists(metadata('source'), false)], 'chat covid swap tokyo'],
  [[exists(metadata('weight'), true)], 'apple pear'],
  [[exists(metadata('weight'), false)], 'chat covid dog fox swap tokyo'],
  [[exists(suggested, true)], 'apple covid fox pear'],
  [[exists(suggested, false)], 'chat dog swap tokyo'],
  [[exists({ ...suggested, question: 'topic' }, true)], 'apple pear'],
  [[exists({ ...suggested, question: 'note' }, true)], 'covid'],
  [[exists({ ...suggested, question: 'note' }, false)], 'apple chat dog fox pear swap tokyo'],
  [[exists(responded, true)], 'apple dog pear swap'],
  [[exists(responded, true)], 'apple pear', BEN],
  [[exists(responded, false)], 'chat covid dog fox swap tokyo', BEN],
  [[exists(response('stars'), true)], 'apple dog'],
  [[exists(response('stars'), true)], 'apple', BEN],
  [[exists(response('note'), true)], 'pear'],
  [[exists(response('note'), true)], '', ANN],
  [[exists(response('note'), false)], 'apple chat covid dog fox swap tokyo', BEN],
  [[exists(flag, true)], 'covid dog'],
  [[exists(flag, true)], 'dog', ANN],
  [[exists(flag, false)], 'apple chat covid fox pear swap tokyo', ANN],
  [[exists(flag, true), exists(suggested, false), terms(metadata('source'), '2')], 'dog', BEN],
]

const SORT_ROWS: [scope: object, order: 'asc' | 'desc', names: string, user?: number][] = [
  [record('external_id'), 'desc', 'tokyo swap pear fox dog covid chat apple'],
  [record('inserted_at'), 'desc', 'swap chat tokyo covid dog fox pear apple'],
  [record('id'), 'asc', 'apple pear fox dog covid tokyo chat swap'],
  [record('status'), 'asc', 'apple swap pear fox dog covid tokyo chat'],
  [metadata('source'), 'asc', 'fox dog pear apple covid tokyo chat swap'],
  [metadata('source'), 'desc', 'apple pear dog fox covid tokyo chat swap'],
  [metadata('length'), 'asc', 'fox apple pear dog covid tokyo chat swap'],
  [metadata('weight'), 'desc', 'pear apple fox dog covid tokyo chat swap'],
  [suggestion('topic'), 'asc', 'pear apple fox dog covid tokyo chat swap'],
  [suggestion('topic'), 'desc', 'apple pear fox dog covid tokyo chat swap'],
  [suggestion('stars'), 'desc', 'apple fox pear dog covid tokyo chat swap'],
  [suggestion('topic', 'score'), 'asc', 'pear apple fox dog covid tokyo chat swap'],
  [suggestion('topic', 'score'), 'desc', 'apple pear fox dog covid tokyo chat swap'],
  [suggestion('topic', 'agent'), 'asc', 'pear apple fox dog covid tokyo chat swap'],
  [response('stars'), 'asc', 'apple dog pear fox covid tokyo chat swap'],
  [response('stars'), 'asc', 'apple pear fox dog covid tokyo chat swap', BEN],
  [response('topic'), 'desc', 'apple pear fox dog covid tokyo chat swap'],
  [responseStatus, 'desc', 'apple swap dog pear fox covid tokyo chat'],
]

export function engineContract(name: string, open: () => Promise<TestContext>): void {
  describe(`search engine ${name}`, () => {
    let ctx: TestContext
    let corpus: Corpus
    beforeAll(async () => {
      ctx = await open()
      corpus = await createSeededCorpus(ctx)
    })
    afterAll(() => ctx.close())

    const nameOf = (id: Id) => corpus.documents.find(document => document.id === id)?.external_id ?? '?'
    const ask = async (body: unknown, asking: QueryOptions = {}) => {
      const query = toQuery(corpus, body as SearchBody, asking)
      const { found, expected } = await compare(corpus, query)
      if (query.similar === null) {
        expect(found.total, 'the total').toBe(expected.total)
        if (query.sort.length > 0) expect(found.ids.map(nameOf)).toEqual(expected.ids.map(nameOf))
      }
      return { ...found, names: found.ids.map(nameOf) }
    }
    const asUser = (user: number | undefined): QueryOptions => (user === undefined ? {} : { userId: corpus.users[user] ?? '' })

    test.each(TEXT_ROWS)('text `%s` finds: %s', async (q, names, field) => {
      const found = await ask({ query: { text: { q, ...(field === undefined ? {} : { field }) } } })
      expect(found.names.toSorted().join(' ')).toBe(names)
    })

    test.each([...FILTER_ROWS, ...EXISTS_ROWS])('filters %j find: %s', async (filters, names, user) => {
      const found = await ask({ filters: { and: filters } }, asUser(user))
      expect(found.names.toSorted().join(' ')).toBe(names)
    })

    test.each(SORT_ROWS)('sort by %j %s: %s', async (scope, order, names, user) => {
      const found = await ask({ sort: [{ scope, order }] }, asUser(user))
      expect(found.names.join(' ')).toBe(names)
      expect(new Set(found.scores)).toEqual(new Set([null]))
    })

    test('a page is a window on the whole, and beyond the end there is nothing but the total', async () => {
      for (const body of [
        {},
        { query: { text: { q: 'green | lazy | covid' } } },
        { sort: [{ scope: metadata('length'), order: 'asc' }] },
      ]) {
        const whole = (await ask(body)).names
        for (let offset = 0; offset < 9; offset += 2)
          expect((await ask(body, { offset, limit: 2 })).names).toEqual(whole.slice(offset, offset + 2))
        expect((await ask(body, { offset: 20, limit: 5 })).total).toBe(whole.length)
      }
    })

    test('without text and sort all score 1, in the order they came', async () => {
      const found = await ask({})
      expect(found.names).toEqual(corpus.documents.map(document => document.external_id))
      expect(new Set(found.scores)).toEqual(new Set([1]))
    })

    test('each annotator walks all records in an order of their own, which stays', async () => {
      const [ann, ben] = corpus.users
      const walks = await Promise.all([ann, ben, ann].map(userId => ask({}, { userId })))
      expect(walks[0]?.names).toEqual(walks[2]?.names)
      expect(walks[0]?.names.toSorted()).toEqual(walks[1]?.names.toSorted())
      expect(walks[0]?.scores.every(score => score !== null && score > 0 && score <= 1)).toBe(true)
      const queue = { filters: { and: [terms(responseStatus, 'pending'), terms(record('status'), 'pending')] } }
      const waiting = (await ask(queue, { userId: ann })).names
      expect(waiting).toEqual(walks[0]?.names.filter(name => waiting.includes(name)))
    })

    test('a draft has no index: nothing is found', async () => {
      expect(await runQuery(toDraft(corpus), toQuery(corpus, {}))).toEqual({ ids: [], scores: [], total: 0 })
    })

    test('the nearest vectors come first, of those that match the rest', async () => {
      const vector = { name: 'embed', value: [1, 0, 0] }
      const all = await ask({ query: { vector } })
      expect([all.names, all.total]).toEqual([['apple', 'pear', 'covid', 'fox'], 4])
      expect(all.scores[0]).toBeCloseTo(1, 5)
      expect(all.scores[3]).toBeCloseTo(0, 5)
      expect((await ask({ query: { vector: { ...vector, order: 'least_similar' } } }, { limit: 2 })).names).toEqual([
        'fox',
        'covid',
      ])
      expect((await ask({ query: { vector, text: { q: 'green | fox' } } }, { limit: 2, offset: 1 })).names).toEqual([
        'pear',
        'fox',
      ])
      expect((await ask({ query: { vector }, filters: { and: [terms(metadata('source'), '10')] } }, { limit: 1 })).names).toEqual(
        ['fox'],
      )
      expect(await ask({ query: { vector } }, { offset: 1000, limit: 5 })).toMatchObject({ names: [], total: 0 })
    })

    test('a replaced text is found by its new words only, a removed one no more', async () => {
      const { followed, documents } = await createSeededCorpus(ctx)
      const { owner, datasetId } = followed
      const [apple, pear] = documents.map(({ id }) => id) as [Id, Id]
      await updateRecord(owner, apple, { fields: { picture: PICTURE, prompt: { texts: ['plum'] } } })
      await upsertRecordsBulk(owner, datasetId, [{ external_id: 'dog', fields: { picture: PICTURE, reply: 'cat news' } }])
      await deleteRecords(owner, datasetId, pear)
      const changed = await readCorpus(followed)
      const total = async (q: string) => (await runQuery(changed, toQuery(changed, { query: { text: { q } } }))).total
      expect([await total('plum'), await total('pie'), await total('sweet'), await total('pear')]).toEqual([1, 0, 0, 0])
      expect([await total('cat'), await total('sleeps'), await total('news')]).toEqual([1, 0, 1])
      expect([await total('*'), await total('apple')]).toEqual([7, 2])
    })

    countContract(() => corpus)
    rebuildContract(() => ctx)
    randomSearches(() => ctx)
  })
}
