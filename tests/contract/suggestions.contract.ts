/** Suggestions: one per record and question, with type, score and agent. */
import type { Suggestion } from '@postil/domain/suggestions'
import { beforeAll, describe, expect, test } from 'vitest'
import { SHAPELESS_VALUES, SPAN_TEXT, VALUE_CASES } from './answer-cases.ts'
import { expectProblems, expectRefused } from './answers.ts'
import { aDataset, aRecord, type BuiltDataset, idOf, readRecord, SMALL, SMALL_DRAFT } from './datasets.ts'
import { NO_ID, sharedWorld, type World } from './http.ts'

let world: World
let dataset: BuiltDataset
beforeAll(async () => {
  world = await sharedWorld()
  dataset = await aDataset(world)
})

const newRecord = async () => (await aRecord(world, dataset, { fields: { text: SPAN_TEXT } })).id
const body = (name: string, value: unknown, given: object = {}) => ({
  question_id: idOf(dataset.questions, name),
  value,
  ...given,
})
const put = (recordId: string, suggestion: object) =>
  world.owner.send<Suggestion>(`PUT /records/${recordId}/suggestions`, suggestion)
const listOf = async (recordId: string) =>
  (await world.owner.done<{ items: Suggestion[] }>(`GET /records/${recordId}/suggestions`)).items

describe('a suggestion', () => {
  test('is made, then replaced as a whole; it keeps its id and its birthday', async () => {
    const id = await newRecord()
    const made = await put(
      id,
      body('mood', 'sad', { score: 0.5, agent: 'model-1', type: 'model', id: NO_ID, question_name: 'x' }),
    )
    expect([made.status, made.body]).toMatchObject([201, { value: 'sad', score: 0.5, agent: 'model-1', type: 'model' }])
    const replaced = await put(id, body('mood', 'calm'))
    expect(replaced.status).toBe(200)
    expect(replaced.body).toEqual({
      ...made.body,
      value: 'calm',
      score: null,
      agent: null,
      type: null,
      updated_at: replaced.body.updated_at,
    })
    expect(replaced.body.updated_at > made.body.updated_at).toBe(true)
    expect(await listOf(id)).toEqual([replaced.body])
  })

  test('moves neither the record nor its status', async () => {
    const id = await newRecord()
    const before = await readRecord(world, id)
    await put(id, body('mood', 'sad'))
    expect({ ...(await readRecord(world, id)), suggestions: [] }).toEqual(before)
  })

  test('of a question that does not exist, or of another dataset, is a rule broken; nothing is stored', async () => {
    const id = await newRecord()
    const foreign = await aDataset(world, SMALL)
    for (const question_id of [NO_ID, idOf(foreign.questions, 'mood')]) {
      expectRefused(await put(id, { question_id, value: 'sad' }))
      expectRefused(await world.owner.send(`POST /records/${id}/suggestions`, { question_id, value: 'sad' }))
    }
    expect(await listOf(id)).toEqual([])
  })

  test('may be made the older way, once', async () => {
    const id = await newRecord()
    const post = () => world.owner.send(`POST /records/${id}/suggestions`, body('mood', 'sad'))
    expect((await post()).status).toBe(201)
    expectRefused(await post(), 409)
    expect(await listOf(id)).toHaveLength(1)
  })

  test('list is oldest first', async () => {
    const id = await newRecord()
    for (const [name, value] of [
      ['comment', 'Hm'],
      ['mood', 'sad'],
      ['comment', 'Ah'],
    ])
      await put(id, body(name ?? '', value))
    expect((await listOf(id)).map(({ value }) => value)).toEqual(['Ah', 'sad'])
  })
})

describe('the value', () => {
  test.each(VALUE_CASES)('$value for $question -> $ok', async ({ question, value, ok, stored = value }) => {
    const id = await newRecord()
    const answer = await put(id, body(question, value))
    if (ok === false) {
      expectRefused(answer)
      expect(await listOf(id)).toEqual([])
    } else {
      expect([answer.status, answer.body.value]).toEqual([201, stored])
    }
  })

  test.each([...SHAPELESS_VALUES, [1, 2]].map(value => ({ value })))('$value fits no question', async ({ value }) => {
    const answer = await put(await newRecord(), body('mood', value))
    expect([answer.status, typeof (answer.body as unknown as { detail: unknown }).detail]).toEqual([422, 'object'])
  })

  test('of a span needs the text it marks', async () => {
    const free = await aDataset(world, {
      fields: [
        ...['text', 'note'].map(name => ({ name, title: name, required: name === 'text', settings: { type: 'text' as const } })),
      ],
      questions: [
        { name: 'mood', title: 'M', required: true, settings: { type: 'text' } },
        { name: 'spots', title: 'S', settings: { type: 'span', field: 'note', options: [{ value: 'a', text: 'A' }] } },
      ],
      properties: [],
      vectors: [],
    })
    const spans = { question_id: idOf(free.questions, 'spots'), value: [{ label: 'a', start: 0, end: 1 }] }
    for (const fields of [{ text: 'a' }, { text: 'a', note: null }]) {
      const record = await aRecord(world, free, { fields })
      expectRefused(await put(record.id, spans))
    }
    expect((await put((await aRecord(world, free, { fields: { text: 'a', note: 'b' } })).id, spans)).status).toBe(201)
  })
})

test('a suggested span keeps a score of its own, which clients of the 1.x line give it', async () => {
  const value = [{ label: 'person', start: 0, end: 1, score: 0.5 }]
  const answer = await put(await newRecord(), body('spots', value))
  expect([answer.status, answer.body.value]).toEqual([201, value])
})

describe('the score', () => {
  test.each([
    ['mood', 'sad', 0, true],
    ['mood', 'sad', 1, true],
    ['mood', 'sad', null, true],
    ['mood', 'sad', [0.5], false],
    ['topics', ['food', 'art'], [0.5, 1], true],
    ['topics', ['food', 'art'], [0.5], false],
    ['topics', ['food', 'art'], 0.5, false],
    ['order', [{ value: 'a', rank: 1 }], [0.1], true],
    ['spots', [{ label: 'person', start: 0, end: 1 }], 0.1, false],
    ['quality', 3, 0.25, true],
  ])('of %s %j: %j -> %j', async (question, value, score, ok) => {
    const answer = await put(await newRecord(), body(question, value, { score }))
    if (ok) expect([answer.status, answer.body.score]).toEqual([201, score])
    else expectRefused(answer)
  })

  test.each([[1.1], [-0.1], [[0.5, 2]], [[]]])('%j is not a score', async score => {
    expectProblems(await put(await newRecord(), body('topics', ['food'], { score })), [['value_error', 'body', 'score']])
  })
})

test.each([
  ['gpt-x', null],
  ['ner/v2.1: a_b', null],
  ['x'.repeat(200), null],
  ['', 'string_too_short'],
  ['x'.repeat(201), 'string_too_long'],
  ['ünï', 'string_pattern_mismatch'],
  ['a,b', 'string_pattern_mismatch'],
  ['--', 'string_pattern_mismatch'],
])('an agent may be called %j: %j', async (agent, type) => {
  const answer = await put(await newRecord(), body('mood', 'sad', { agent }))
  if (type === null) expect([answer.status, answer.body.agent]).toEqual([201, agent])
  else expectProblems(answer, [[type, 'body', 'agent']])
})

describe('deleting', () => {
  test('one answers it, once', async () => {
    const { body: made } = await put(await newRecord(), body('mood', 'sad'))
    expect(await world.owner.done(`DELETE /suggestions/${made.id}`)).toEqual(made)
    expectRefused(await world.owner.send(`DELETE /suggestions/${made.id}`), 404)
  })

  test('many ignores those of other records', async () => {
    const [id, otherId] = [await newRecord(), await newRecord()]
    const [a, b, c] = [
      await put(id, body('mood', 'sad')),
      await put(id, body('comment', 'x')),
      await put(otherId, body('mood', 'sad')),
    ]
    const ids = [a.body.id, c.body.id, NO_ID].join(',')
    const answer = await world.owner.send(`DELETE /records/${id}/suggestions?ids=${ids}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect([await listOf(id), await listOf(otherId)]).toEqual([[b.body], [c.body]])
  })

  test.each(['', 'x', Array(101).fill(NO_ID).join(',')])('ids=%s is refused', async ids => {
    expectRefused(await world.owner.send(`DELETE /records/${await newRecord()}/suggestions?ids=${ids}`))
  })
})

describe('agents', () => {
  test('are listed for every question, each once', async () => {
    const built = await aDataset(world)
    const optionsOf = ({ path }: BuiltDataset) =>
      world.memberAnnotator.done<{ items: { question: { name: string }; agents: string[] }[] }>(
        `GET ${path}/records/search/suggestions/options`,
      )
    for (const agent of ['b', 'a', 'b', null]) {
      await aRecord(world, built, { suggestions: [{ question_id: idOf(built.questions, 'quality'), value: 1, agent }] })
    }
    const { items } = await optionsOf(built)
    expect(items.map(({ question }) => question.name)).toEqual(['mood', 'topics', 'quality', 'order', 'spots', 'comment'])
    expect(items.map(({ agents }) => agents.toSorted())).toEqual([[], [], ['a', 'b'], [], [], []])
    expect((await optionsOf(await aDataset(world, SMALL_DRAFT))).items).toMatchObject([{ agents: [] }])
  })
})
