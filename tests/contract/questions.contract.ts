/** Fields, questions, metadata properties and vectors settings: what can be created, and what can change later. */
import type { Field } from '@postil/domain/fields'
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import type { Question } from '@postil/domain/questions'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblems, expectRefused } from './answers.ts'
import {
  aDataset,
  type BuiltDataset,
  idOf,
  LABEL_QUESTION,
  named,
  SMALL,
  SMALL_DRAFT,
  TEXT_FIELD,
  toOptions,
} from './datasets.ts'
import { fresh, sharedWorld, type World } from './http.ts'
import { FIELD_SETTINGS, letters, QUESTION_SETTINGS, SETTINGS_PROBLEMS } from './question-cases.ts'

let world: World
let dataset: BuiltDataset
beforeAll(async () => {
  world = await sharedWorld()
  dataset = await aDataset(world, SMALL_DRAFT)
})

const addTo = <T = Question>(kind: string, given: object, { path } = dataset) =>
  world.owner.send<T>(`POST ${path}/${kind}`, { name: fresh('part'), title: 'Part', ...given })
const patch = <T = Question>(id: string, body: object) => world.owner.send<T>(`PATCH /questions/${id}`, body)

describe('fields', () => {
  test.each(FIELD_SETTINGS)('of settings $given are stored as $stored', async ({ given, stored }) => {
    expect((await addTo<Field>('fields', { settings: given, required: null })).body).toMatchObject({
      required: false,
      settings: stored,
    })
  })

  test('have unique names, and not those of questions', async () => {
    expectRefused(await addTo('fields', TEXT_FIELD), 409)
    expectRefused(await addTo('fields', { ...TEXT_FIELD, name: 'mood' }), 422)
    expectRefused(await addTo('questions', { ...LABEL_QUESTION, name: 'text' }), 422)
  })

  test('keep their type, name and whether they are required', async () => {
    const { body: field } = await addTo<Field>('fields', { settings: { type: 'chat' }, required: true })
    const change = (body: object) => world.owner.send<Field>(`PATCH /fields/${field.id}`, body)
    expectRefused(await change({ settings: { type: 'text', use_markdown: true } }))
    const settings = { type: 'chat', use_markdown: false }
    const changed = (await change({ ...field, settings, name: 'other', required: false, title: 'New' })).body
    expect(changed).toEqual({ ...field, settings, title: 'New', updated_at: changed.updated_at })
    expectProblems(await change({ settings: { type: 'custom', template: 'x' } }), [
      ['missing', 'body', 'settings', 'custom', 'advanced_mode'],
    ])
  })

  test('are listed oldest first, and deleted from a draft', async () => {
    const { path, fields } = await aDataset(world, { ...SMALL_DRAFT, fields: [TEXT_FIELD, { ...TEXT_FIELD, name: 'a' }] })
    const names = async () => (await world.owner.done<{ items: Field[] }>(`GET ${path}/fields`)).items.map(({ name }) => name)
    expect(await names()).toEqual(['text', 'a'])
    expect(await world.owner.done(`DELETE /fields/${idOf(fields, 'text')}`)).toEqual(named(fields, 'text'))
    expect(await names()).toEqual(['a'])
  })
})

describe('questions', () => {
  test.each(QUESTION_SETTINGS)('$why: $given.type', async ({ given, stored }) => {
    const answer = await addTo('questions', { settings: given }, await aDataset(world, SMALL_DRAFT))
    expect([answer.status, answer.body.settings]).toEqual([201, stored])
    expect(answer.body).toMatchObject({ description: null, required: false })
  })

  test.each(SETTINGS_PROBLEMS)('refuse $why', async ({ given, problems }) => {
    expectProblems(await addTo('questions', { settings: given }), problems)
  })

  test('have unique names, which is checked before the rules of spans', async () => {
    expectRefused(await addTo('questions', LABEL_QUESTION), 409)
    const span = { type: 'span', field: 'nothing', options: toOptions(['a']) }
    expectRefused(await addTo('questions', { name: 'mood', settings: span }), 409)
    expectRefused(await addTo('questions', { settings: span }), 422)
  })

  test('mark spans in a field that no other question marks', async () => {
    const draft = await aDataset(world, SMALL_DRAFT)
    const settings = { type: 'span', field: 'text', options: toOptions(['a']) }
    expect((await addTo('questions', { settings }, draft)).status).toBe(201)
    expectRefused(await addTo('questions', { settings }, draft))
  })
})

describe('changing a question', () => {
  const aQuestion = async (settings: object) => (await addTo('questions', { settings }, await aDataset(world, SMALL_DRAFT))).body

  test('keeps name, required and what was not sent; the whole model may be sent back', async () => {
    const question = await aQuestion({ type: 'label_selection', options: letters(4), visible_options: 3 })
    const again = (await patch(question.id, question)).body
    expect(again).toEqual({ ...question, updated_at: again.updated_at })
    const changed = (await patch(question.id, { name: 'x', required: true, description: 'Why?', title: 'New' })).body
    expect(changed).toEqual({ ...question, description: 'Why?', title: 'New', updated_at: changed.updated_at })
    expect((await patch(question.id, { description: null })).body.description).toBeNull()
  })

  test.each(['label_selection', 'multi_label_selection', 'span'])(
    'of type %s: words and order of options, not values',
    async type => {
      const field = type === 'span' ? { field: 'text' } : {}
      const { id } = await aQuestion({ type, ...field, options: letters(4), visible_options: 4 })
      const options = letters(4)
        .toReversed()
        .map(option => ({ ...option, text: 'x'.repeat(501), description: '' }))
      expect((await patch(id, { settings: { type, options } })).body.settings).toMatchObject({ options, visible_options: 4 })
      expectRefused(await patch(id, { settings: { type, options: letters(3) } }))
      expectRefused(await patch(id, { settings: { type, options: letters(5) } }))
      expectRefused(await patch(id, { settings: { type, options: [...letters(3), { value: 'z', text: 'Z' }] } }))
      expectRefused(await patch(id, { settings: { type: 'text', use_markdown: true } }))
      expect((await patch(id, { settings: { type, options: null } })).body.settings).toMatchObject({ options })
      expect((await world.owner.send(`GET ${dataset.path}/questions`)).status).toBe(200)
    },
  )

  test('of labels: how many are visible', async () => {
    const type = 'label_selection'
    const { id } = await aQuestion({ type, options: letters(4) })
    const visible = async (visible_options: unknown) => patch(id, { settings: { type, visible_options } })
    expect((await visible(3)).body.settings).toMatchObject({ visible_options: 3 })
    expectProblems(await visible(2), [['greater_than_equal', 'body', 'settings', type, 'visible_options']])
    expectRefused(await visible(5))
    expect((await visible(null)).body.settings).toMatchObject({ visible_options: null })
  })

  test.each([
    { type: 'rating', options: [{ value: 1 }, { value: 2 }], other: [{ value: 7 }] },
    { type: 'ranking', options: letters(2), other: letters(1) },
  ])('of type $type: options are ignored, not refused', async ({ type, options, other }) => {
    const { id, settings } = await aQuestion({ type, options })
    expect((await patch(id, { title: 'New', settings: { type, options: other } })).body).toMatchObject({ title: 'New', settings })
  })

  test('of multi labels: their order, never null', async () => {
    const type = 'multi_label_selection'
    const { id } = await aQuestion({ type, options: letters(3) })
    expect((await patch(id, { settings: { type, options_order: 'suggestion' } })).body.settings).toMatchObject({
      options_order: 'suggestion',
    })
    expectProblems(await patch(id, { settings: { type, options_order: null } }), [['value_error', 'body', 'settings', type]])
  })

  test('of spans: overlapping cannot be taken back, not even by silence', async () => {
    const { id } = await aQuestion({ type: 'span', field: 'text', options: letters(2) })
    const overlap = (allow_overlapping?: unknown) => patch(id, { settings: { type: 'span', allow_overlapping, field: 'other' } })
    expect((await overlap(true)).body.settings).toMatchObject({ allow_overlapping: true, field: 'text' })
    for (const value of [false, null, undefined]) expectRefused(await overlap(value))
    expect((await overlap(true)).status).toBe(200)
  })

  test('of text: markdown, never null', async () => {
    const { id } = await aQuestion({ type: 'text' })
    expect((await patch(id, { settings: { type: 'text', use_markdown: true } })).body.settings).toMatchObject({
      use_markdown: true,
    })
    expectProblems(await patch(id, { settings: { type: 'text', use_markdown: null } }), [
      ['value_error', 'body', 'settings', 'text'],
    ])
  })
})

describe('metadata properties', () => {
  test('have unique names and bounds that come back as null when missing', async () => {
    const add = (given: object) => addTo<MetadataProperty>('metadata-properties', given)
    const settings = { type: 'integer', min: 1, visible_for_annotators: false }
    const { body } = await add({ name: 'size', settings })
    expect(body).toMatchObject({ settings: { type: 'integer', min: 1, max: null }, visible_for_annotators: true })
    expectRefused(await add({ name: 'size', settings }), 409)
    expect((await add({ settings: { type: 'terms' } })).body.settings).toEqual({ type: 'terms', values: null })
    const mixed = ['a', 7, true, null, { a: 1 }]
    expect((await add({ settings: { type: 'terms', values: mixed } })).body.settings).toEqual({ type: 'terms', values: mixed })
    expectProblems(await add({ settings: { type: 'terms', values: mixed.concat(Array(246).fill('x')) } }), [
      ['too_long', 'body', 'settings', 'terms', 'values'],
    ])
  })

  test('stay visible or hidden unless a change says so; settings are ignored', async () => {
    const given = { settings: { type: 'terms', values: ['a'] }, visible_for_annotators: true }
    const { body: property } = await addTo<MetadataProperty>('metadata-properties', given)
    const change = async (body: object) =>
      (await world.owner.send<MetadataProperty>(`PATCH /metadata-properties/${property.id}`, body)).body
    expect(await change({ title: 'New' })).toMatchObject({ title: 'New', visible_for_annotators: true })
    expect(await change({ visible_for_annotators: false, settings: { type: 'integer' } })).toMatchObject({
      visible_for_annotators: false,
      settings: property.settings,
    })
    expect(await change({ title: 'Newer' })).toMatchObject({ title: 'Newer', visible_for_annotators: false })
  })

  test('that are hidden are not listed for annotators, on either path', async () => {
    const built = await aDataset(world, { ...SMALL, properties: [] })
    for (const [name, visible_for_annotators] of [
      ['seen', true],
      ['hidden', false],
    ] as const) {
      await addTo('metadata-properties', { name, settings: { type: 'terms' }, visible_for_annotators }, built)
    }
    for (const path of [`/me${built.path}`, built.path]) {
      const names = async (actor: 'memberAdmin' | 'memberAnnotator') =>
        (await world[actor].done<{ items: MetadataProperty[] }>(`GET ${path}/metadata-properties`)).items.map(({ name }) => name)
      expect(await names('memberAdmin')).toEqual(['seen', 'hidden'])
      expect(await names('memberAnnotator')).toEqual(['seen'])
    }
  })
})

describe('vectors settings', () => {
  test('are five at most, which is checked before the name', async () => {
    const built = await aDataset(world, SMALL)
    const add = (given: object) => addTo('vectors-settings', { dimensions: 2, ...given }, built)
    for (const name of ['a', 'b', 'c', 'd']) expect((await add({ name })).status).toBe(201)
    expectRefused(await add({ name: 'a' }), 409)
    expect((await add({ name: 'e', dimensions: '1536' })).body).toMatchObject({ dimensions: 1536 })
    expectRefused(await add({ name: 'a' }), 422)
  })

  test('with more dimensions than can be searched are refused before anything is stored', async () => {
    const built = await aDataset(world, SMALL)
    expectRefused(await addTo('vectors-settings', { dimensions: 20_000_000 }, built))
    expect(await world.owner.done(`GET ${built.path}/vectors-settings`)).toEqual({ items: [] })
  })
})
