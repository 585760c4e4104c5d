/**
 * Answers, spans, rankings, vectors and ids that do not fit their dataset: rejected with the reason, and nothing is partially
 * written.
 */
import type { DatasetRecord } from '@postil/domain/records'
import type { Suggestion } from '@postil/domain/suggestions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem, expectRefused } from '../answers.ts'
import { type BuiltDataset, first, idOf, SMALL, SPAN_QUESTION } from '../datasets.ts'
import { type Answer, NO_ID } from '../http.ts'
import { measured } from '../server-work.ts'
import { datasetOf, expectUnprocessable, openTarget, recordsOf, type Target, unharmed, writesNothing } from './target.ts'

let target: Target
let dataset: BuiltDataset
let other: BuiltDataset
let record: DatasetRecord
let long: DatasetRecord
let victims: DatasetRecord[]
const THUMBS = 'a👍👍b'
beforeAll(async () => {
  target = await openTarget()
  dataset = await datasetOf(target)
  other = await datasetOf(target)
  const items = [{ fields: { text: THUMBS } }, { fields: { text: 'x'.repeat(20_001) } }]
  ;[record, long] = (await recordsOf(target, dataset, items)) as [DatasetRecord, DatasetRecord]
  victims = await recordsOf(target, dataset, Array(50).fill({ fields: { text: THUMBS } }))
})
afterAll(() => target?.close())

/** Sends the same value through every route. */
async function everywhere(question: string, value: unknown, status: string, on: DatasetRecord): Promise<Answer[]> {
  const { owner } = target
  const values = { mood: { value: 'happy' }, [question]: { value } }
  const question_id = idOf(dataset.questions, question)
  const responses = [{ user_id: owner.id, status, values }]
  const suggestions = [{ question_id, value }]
  const { fields } = on
  const bulk = `${dataset.path}/records/bulk`
  return [
    await owner.send(`POST /records/${on.id}/responses`, { status, values }),
    await owner.send(`POST ${bulk}`, { items: [{ fields }, { fields, responses }] }),
    await owner.send(`PUT ${bulk}`, { items: [{ fields }, { id: on.id, responses }] }),
    ...(status === 'submitted'
      ? []
      : [
          await owner.send(`PUT /records/${on.id}/suggestions`, { question_id, value }),
          await owner.send(`POST /records/${on.id}/suggestions`, { question_id, value }),
          await owner.send(`PATCH /records/${on.id}`, { metadata: { half: true }, suggestions }),
          await owner.send(`POST ${bulk}`, { items: [{ fields }, { fields, suggestions }] }),
          await owner.send(`PUT ${bulk}`, { items: [{ fields }, { id: on.id, metadata: { half: true }, suggestions }] }),
          await owner.send(`PATCH ${dataset.path}/records`, { items: [{ id: on.id, metadata: { half: true }, suggestions }] }),
        ]),
  ]
}

async function expectRefusedEverywhere(question: string, value: unknown, status = 'draft'): Promise<void> {
  // A separate record, so that the effects of one attack do not hide those of the next.
  const on = first(victims.splice(0, 1))
  for (const answer of await everywhere(question, value, status, on)) expectUnprocessable(answer)
  const items = [{ record_id: on.id, status, values: { mood: { value: 'happy' }, [question]: { value } } }]
  const answer = await target.owner.send('POST /me/responses/bulk', { items })
  if (answer.status !== 422)
    expect(answer.body).toEqual({
      items: [{ item: null, error: { detail: expect.stringMatching(/./), code: 'unprocessable', at: expect.any(Array) } }],
    })
}

const span = (start: unknown, end: unknown, label: unknown = 'person') => ({ label, start, end })

describe('spans that are wrong:', () => {
  writesNothing(() => target)

  test.each([
    ['empty', [span(1, 1)]],
    ['backwards', [span(2, 1)]],
    ['before the beginning', [span(-1, 1)]],
    ['past the end', [span(0, 5)]],
    ['after the end', [span(4, 5)]],
    ['counted in UTF-16 units', [span(0, THUMBS.length)]],
    ['beyond all texts', [span(0, Number.MAX_SAFE_INTEGER)]],
    ['in fractions', [span(0.5, 1.5)]],
    ['without a label', [{ start: 0, end: 1 }]],
    ['of an unknown label', [span(0, 1, 'nobody')]],
    ['of a label that is no text', [span(0, 1, 3)]],
    ['over each other', [span(0, 2), span(1, 3)]],
    ['inside another', [span(0, 4), span(1, 2)]],
    ['twice the same', [span(0, 1), span(0, 1)]],
    ['right, and one wrong at the end', [span(0, 1), span(1, 2), span(3, 9)]],
    ['no objects', ['person']],
    ['no list', span(0, 1)],
  ])('%s are refused', (_, value) => expectRefusedEverywhere('spots', value))
})

describe('spans', () => {
  test('touching each other, up to the last character, are kept', async () => {
    const value = [span(0, 1), span(1, 3), span(3, 4)]
    const question_id = idOf(dataset.questions, 'spots')
    const made = await target.owner.done<Suggestion>(`PUT /records/${record.id}/suggestions`, { question_id, value })
    expect(made.value).toEqual(value)
  })

  const many = (count: number, step = 2) => Array.from({ length: count }, (_, i) => span(i * step, i * step + 1))

  test.each([100, 997, 998, 1_000, 10_000])('%d of them are kept, all of them', async count => {
    const value = many(count)
    const question_id = idOf(dataset.questions, 'spots')
    const answer = await target.owner.send<Suggestion>(`PUT /records/${long.id}/suggestions`, { question_id, value })
    expect([answer.status < 300, (answer.body.value as unknown[] | undefined)?.length]).toEqual([true, count])
    expect(answer.body.value).toEqual(value)
    const values = { spots: { value }, mood: { value: 'happy' } }
    const bulk = { items: [{ record_id: long.id, status: 'submitted', values }] }
    expect(await target.owner.done('POST /me/responses/bulk', bulk)).toMatchObject({ items: [{ error: null, item: { values } }] })
  })

  test('10,001 of them are too many', async () => {
    const on = first(await recordsOf(target, dataset, [{ fields: { text: 'x'.repeat(20_001) } }]))
    await unharmed(target, async () => {
      for (const answer of await everywhere('spots', many(10_001), 'draft', on)) expectUnprocessable(answer)
    })
  })

  test('10,000 that overlap are refused at once', async () => {
    const question_id = idOf(dataset.questions, 'spots')
    const value = Array.from({ length: 10_000 }, (_, i) => span(i, 20_001 - i))
    const send = () => target.owner.send(`PUT /records/${long.id}/suggestions`, { question_id, value })
    const { result, ms } = await measured(target.server, send)
    expectUnprocessable(result)
    expect(ms).toBeLessThan(2_000)
  })

  test('of a question about a field that the record lacks are refused', async () => {
    const fields = [
      { name: 'text', title: 'T', required: true, settings: { type: 'text' } as const },
      { name: 'note', title: 'N', settings: { type: 'text' } as const },
    ]
    const onNote = { ...SPAN_QUESTION, settings: { ...SPAN_QUESTION.settings, field: 'note' } } as typeof SPAN_QUESTION
    const built = await datasetOf(target, { ...SMALL, fields, questions: [...(SMALL.questions ?? []), onNote] })
    const items = [{ fields: { text: 'x' } }, { fields: { text: 'x', note: null } }]
    for (const { id } of await recordsOf(target, built, items)) {
      const body = { question_id: idOf(built.questions, 'spots'), value: [span(0, 1)] }
      expectRefused(await target.owner.send(`PUT /records/${id}/suggestions`, body))
    }
  })
})

const rank = (value: unknown, rank?: unknown) => ({ value, rank })

describe('other answers', () => {
  writesNothing(() => target)

  test.each([
    ['a ranking with an option twice', 'order', [rank('a', 1), rank('a', 2)]],
    ['a ranking with an unknown option', 'order', [rank('z', 1)]],
    ['a ranking of texts', 'order', ['a', 'b', 'c']],
    ['a ranking with broken ranks', 'order', [rank('a', 1.5)]],
    ['no label', 'mood', ''],
    ['an unknown label', 'mood', 'HAPPY'],
    ['a list for a single label', 'mood', ['happy']],
    ['no labels', 'topics', []],
    ['a label twice', 'topics', ['food', 'food']],
    ['an unknown label among others', 'topics', ['food', 'war']],
    ['a text for labels', 'topics', 'food'],
    ['a rating that is no option', 'quality', 6],
    ['a rating in text', 'quality', '3'],
    ['a rating in halves', 'quality', 2.5],
    ['a number for a text', 'comment', 3],
    ['null', 'comment', null],
    ['an object', 'comment', { value: 'x' }],
    ['a list of a thousand nulls', 'spots', Array(1_000).fill(null)],
    ['a list of ten thousand numbers', 'order', Array(10_000).fill(1)],
    ['a list of ten thousand objects', 'topics', Array(10_000).fill({ a: 1 })],
  ])('%s is refused', (_, question, value) => expectRefusedEverywhere(question, value))

  test.each([
    ['an incomplete ranking', 'order', [rank('a', 1)]],
    ['a rank of 0', 'order', [rank('a', 0), rank('b', 1), rank('c', 2)]],
    ['a rank beyond the options', 'order', [rank('a', 1), rank('b', 2), rank('c', 4)]],
    ['no rank', 'order', [rank('a', 1), rank('b', 2), rank('c')]],
  ])('%s may not be submitted', (_, question, value) => expectRefusedEverywhere(question, value, 'submitted'))
})

describe('vectors', () => {
  writesNothing(() => target)

  test.each([
    ['too short', { embed: [1, 2] }],
    ['too long', { embed: [1, 2, 3, 4] }],
    ['empty', { embed: [] }],
    ['unknown', { nothing: [1, 2, 3] }],
    ['null', { embed: null }],
    ['nested', { embed: [[1, 2, 3]] }],
    ['with null', { embed: [1, null, 3] }],
    ['with a text', { embed: [1, 'x', 3] }],
    ['right, and another wrong', { embed: [1, 2, 3], other: [1, 2, 3] }],
    ['of ten thousand texts', { embed: Array(10_000).fill('x') }],
  ])('%s are refused', async (_, vectors) => {
    const { owner } = target
    const fields = { text: 'x' }
    for (const answer of [
      await owner.send(`POST ${dataset.path}/records/bulk`, { items: [{ fields }, { fields, vectors }] }),
      await owner.send(`PUT ${dataset.path}/records/bulk`, { items: [{ fields }, { id: record.id, vectors }] }),
      await owner.send(`PATCH ${dataset.path}/records`, { items: [{ id: record.id, metadata: { half: 1 }, vectors }] }),
      await owner.send(`PATCH /records/${record.id}`, { fields, vectors }),
    ]) {
      expectUnprocessable(answer, /vector/i)
    }
  })
})

describe('vectors of zeros', () => {
  test('of zeros are kept, and equally far from everything', async () => {
    const [zero] = await recordsOf(target, dataset, [{ fields: { text: 'zero' }, vectors: { embed: [0, 0, 0] } }])
    const body = { query: { vector: { name: 'embed', value: [1, 2, 3] } } }
    const found = await target.owner.done<{ items: { record: { id: string }; query_score: number }[] }>(
      `POST ${dataset.path}/records/search`,
      body,
    )
    expect(found.items.find(hit => hit.record.id === zero?.id)?.query_score).toBe(0.5)
  })

  test.each([
    ['zeros', [0, 0, 0], 422],
    ['too few numbers', [1, 2], 422],
    ['too many numbers', [1, 2, 3, 4], 422],
    ['no numbers', [], 422],
  ])('%s cannot be searched for', async (_, value, status) => {
    const answer = await target.owner.send(`POST ${dataset.path}/records/search`, { query: { vector: { name: 'embed', value } } })
    expect(answer.status).toBe(status)
  })
})

describe('ids in bodies', () => {
  const fields = { text: 'x' }

  test('of nothing, or of another dataset’s question or user, are refused', async () => {
    await unharmed(target, async () => {
      const { owner } = target
      const bulk = (item: object) => owner.send(`POST ${dataset.path}/records/bulk`, { items: [{ fields }, item] })
      for (const question_id of [NO_ID, idOf(other.questions, 'mood')]) {
        expectRefused(await bulk({ fields, suggestions: [{ question_id, value: 'happy' }] }))
        expectRefused(await owner.send(`PUT /records/${record.id}/suggestions`, { question_id, value: 'happy' }))
        expectRefused(await owner.send(`POST /records/${record.id}/suggestions`, { question_id, value: 'happy' }))
        expectRefused(await owner.send(`PATCH /records/${record.id}`, { suggestions: [{ question_id, value: 'happy' }] }))
      }
      expectRefused(await bulk({ fields, responses: [{ user_id: NO_ID, status: 'draft', values: {} }] }))
      expectRefused(await owner.send(`PATCH ${dataset.path}/records`, { items: [{ id: NO_ID, metadata: {} }] }))
    })
  })

  test('given twice are refused', async () => {
    await unharmed(target, async () => {
      const { owner } = target
      const post = (items: object[]) => owner.send(`POST ${dataset.path}/records/bulk`, { items })
      const suggestion = { question_id: idOf(dataset.questions, 'mood'), value: 'happy' }
      const response = { user_id: owner.id, status: 'draft', values: {} }
      const twice = [
        { id: record.id, metadata: { a: 1 } },
        { id: record.id, metadata: { a: 2 } },
      ]
      expectRefused(await post([{ fields, suggestions: [suggestion, suggestion] }]))
      expectProblem(await post([{ fields, responses: [response, response] }]), 'value_error', 'body', 'items', 0, 'responses')
      expectProblem(
        await post([
          { fields, external_id: 1 },
          { fields, external_id: '1' },
        ]),
        'value_error',
        'body',
        'items',
      )
      expectRefused(await owner.send(`PATCH ${dataset.path}/records`, { items: twice }))
    })
  })

  test('of 40,000 people who do not exist are refused', async () => {
    const user = (i: number) => ({ user_id: NO_ID.replace(/0{12}$/, String(i).padStart(12, '0')), status: 'draft', values: {} })
    const responses = Array.from({ length: 40_000 }, (_, i) => user(i))
    await unharmed(target, async () => {
      for (const method of ['POST', 'PUT']) {
        expectRefused(await target.owner.send(`${method} ${dataset.path}/records/bulk`, { items: [{ fields, responses }] }))
      }
    })
  })
})
