import type { Question } from '@postil/domain/questions'
import type { ResponseUpsert } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { readChanges } from '../../storage/changes.ts'
import { answer, runJobs } from '../bulk-jobs/testing/bulk.ts'
import { publishDataset } from '../datasets/publish.ts'
import { loadDataset } from '../datasets/store.ts'
import { addDraft, openTestTeam, TEXT_FIELD } from '../datasets/testing/datasets.ts'
import { createField } from '../fields/create.ts'
import { getJob } from '../jobs/get.ts'
import { createRecordsBulk } from '../records/create-bulk.ts'
import { getRecord } from '../records/read.ts'
import { upsertResponsesBulk } from '../responses/write.ts'
import { putSuggestion } from '../suggestions/write.ts'
import { createQuestion } from './create.ts'
import { addQuestionOptions, getOptionUses, migrateQuestionOption } from './labels.ts'
import { listQuestions } from './list.ts'

const team = await openTestTeam({ SERVICE_LABEL_SELECTION_OPTIONS_MAX_ITEMS: '4' })
afterAll(() => team.ctx.close())
const { owner, admin, annotator } = team

const options = (...values: string[]) => values.map(value => ({ value, text: value, description: null }))

let datasetId: Id
let mood: Question
let topics: Question
let spots: Question
let order: Question
let records: Id[]

beforeEach(async () => {
  datasetId = (await addDraft(team)).id
  await createField(owner, datasetId, TEXT_FIELD)
  const add = (name: string, settings: object, required = false) =>
    createQuestion(owner, datasetId, { name, title: name, required, settings } as Parameters<typeof createQuestion>[2])
  mood = await add('mood', { type: 'label_selection', options: options('good', 'bad', 'so-so') }, true)
  topics = await add('topics', { type: 'multi_label_selection', options: options('a', 'b', 'c') })
  spots = await add('spots', { type: 'span', field: 'text', options: options('x', 'y') })
  order = await add('order', { type: 'ranking', options: options('1st', '2nd') })
  await publishDataset(owner, datasetId)
  const { text } = await createRecordsBulk(owner, datasetId, [{ fields: { text: 'apple' } }, { fields: { text: 'pear' } }])
  records = JSON.parse(text).items.map((record: { id: Id }) => record.id)
})

const first = () => records[0] as Id
const read = async (id: Id) => JSON.parse((await getRecord(owner, id)).text)
const valuesOf = async (question: Question) => {
  const { items } = await listQuestions(owner, datasetId)
  const { settings } = items.find(({ id }) => id === question.id) as Question
  return 'options' in settings ? settings.options.map(({ value }) => value) : []
}

describe('adding labels', () => {
  test('works in a published dataset, up to what the server allows', async () => {
    await addQuestionOptions(admin, mood.id, { options: options('great') })
    expect(await valuesOf(mood)).toEqual(['good', 'bad', 'so-so', 'great'])
    await answer(annotator, first(), { status: 'submitted', values: { mood: { value: 'great' } } })
    await expect(addQuestionOptions(admin, mood.id, { options: options('fifth') })).rejects.toThrow('at most 4 labels')
  })

  test('is for labels only', async () => {
    await expect(addQuestionOptions(owner, order.id, { options: options('3rd') })).rejects.toThrow('`ranking`')
    await expect(addQuestionOptions(annotator, mood.id, { options: options('x') })).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('replacing a label', () => {
  beforeEach(async () => {
    const values = { mood: { value: 'bad' }, topics: { value: ['a', 'b'] }, spots: { value: [{ label: 'x', start: 0, end: 2 }] } }
    await answer(annotator, first(), { status: 'submitted', values })
    await answer(admin, first(), { status: 'draft', values: { mood: { value: 'bad' } } })
    // The text of a label inside another answer does not count as a use.
    await answer(owner, first(), { status: 'draft', values: { topics: { value: ['c'] } } })
    await putSuggestion(owner, first(), { question_id: mood.id, value: 'bad', score: 0.5 }, { replace: true })
    await putSuggestion(
      owner,
      first(),
      { question_id: topics.id, value: ['a', 'c', 'b'], score: [0.1, 0.9, 0.3] },
      { replace: true },
    )
    const span = { label: 'x', start: 0, end: 2 }
    await putSuggestion(owner, first(), { question_id: spots.id, value: [span] }, { replace: true })
  })

  const replace = async (question: Question, from: string, to: string | null) => {
    const { id } = await migrateQuestionOption(admin, question.id, { from, to })
    await runJobs(owner)
    expect(await getJob(admin, id)).toMatchObject({ status: 'finished', error: null })
    return read(first())
  }
  type Answered = { user_id: Id; status: string; values: object }
  const responseOf = ({ responses }: { responses: Answered[] }, { actor }: typeof owner) =>
    responses.find(({ user_id }) => user_id === actor.id)
  const suggestionOf = ({ suggestions }: { suggestions: { question_id: Id }[] }, { id }: Question) =>
    suggestions.find(({ question_id }) => question_id === id)

  test('is told how often it is used', async () => {
    expect(await getOptionUses(admin, mood.id, 'bad')).toEqual({ responses: 2, suggestions: 1, is_complete: true })
    expect(await getOptionUses(admin, topics.id, 'b')).toEqual({ responses: 1, suggestions: 1, is_complete: true })
    expect(await getOptionUses(admin, topics.id, 'c')).toEqual({ responses: 1, suggestions: 1, is_complete: true })
    expect(await getOptionUses(admin, spots.id, 'y')).toEqual({ responses: 0, suggestions: 0, is_complete: true })
    await expect(getOptionUses(annotator, mood.id, 'bad')).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('by another one changes responses of all users and the suggestion, and logs it', async () => {
    const { change_no } = await loadDataset(team.ctx.db, datasetId)
    const record = await replace(mood, 'bad', 'so-so')
    expect(await valuesOf(mood)).toEqual(['good', 'so-so'])
    expect(responseOf(record, annotator)).toMatchObject({ status: 'submitted', values: { mood: { value: 'so-so' } } })
    expect(responseOf(record, admin)).toMatchObject({ status: 'draft', values: { mood: { value: 'so-so' } } })
    expect(suggestionOf(record, mood)).toMatchObject({ value: 'so-so', score: 0.5 })
    const read = await readChanges(team.ctx.db, datasetId, change_no, 100)
    const events = read.kind === 'changes' ? read.changes.map(({ event }) => event) : []
    expect(events).toEqual(['settings.updated', 'response.updated', 'response.updated', 'suggestion.updated'])
  })

  test('by a new value renames it', async () => {
    const record = await replace(mood, 'bad', 'awful')
    expect(await valuesOf(mood)).toEqual(['good', 'awful', 'so-so'])
    expect(responseOf(record, annotator)).toMatchObject({ values: { mood: { value: 'awful' } } })
  })

  test('by one that an answer has too leaves one of them, with its score', async () => {
    const record = await replace(topics, 'b', 'a')
    expect(responseOf(record, annotator)).toMatchObject({ values: { topics: { value: ['a'] } } })
    expect(suggestionOf(record, topics)).toMatchObject({ value: ['a', 'c'], score: [0.1, 0.9] })
  })

  test('by nothing makes a submitted response a draft if the question is required, and opens the record', async () => {
    expect(await read(first())).toMatchObject({ status: 'completed' })
    const record = await replace(mood, 'bad', null)
    expect(responseOf(record, annotator)).toMatchObject({ status: 'draft' })
    expect(responseOf(record, annotator)?.values).not.toHaveProperty('mood')
    expect(suggestionOf(record, mood)).toBeUndefined()
    expect(record.status).toBe('pending')
  })

  test('by nothing keeps the rest of an answer that is not required', async () => {
    const record = await replace(topics, 'b', null)
    expect(responseOf(record, annotator)).toMatchObject({ status: 'submitted', values: { topics: { value: ['a'] } } })
    expect(suggestionOf(record, topics)).toMatchObject({ value: ['a', 'c'], score: [0.1, 0.9] })
  })

  test('of spans leaves the answer that there are none, and no empty suggestion', async () => {
    const record = await replace(spots, 'x', null)
    expect(responseOf(record, annotator)).toMatchObject({ status: 'submitted', values: { spots: { value: [] } } })
    expect(suggestionOf(record, spots)).toBeUndefined()
  })

  test('refuses answers with it at once, but knows a late retry of one that was stored', async () => {
    const write_id = owner.newId()
    const late = {
      record_id: records[1] as Id,
      status: 'submitted',
      values: { mood: { value: 'bad' } },
      write_id,
    } as ResponseUpsert
    await answer(annotator, records[1] as Id, late)
    await migrateQuestionOption(admin, mood.id, { from: 'bad', to: 'good' })
    await expect(answer(annotator, first(), { status: 'draft', values: { mood: { value: 'bad' } } })).rejects.toThrow(
      'is not an option',
    )
    await runJobs(owner)
    const [retried] = (await upsertResponsesBulk(annotator, [late])).items
    expect(retried?.item?.values).toEqual({ mood: { value: 'good' } })
  })

  test('waits for the one before, and for one that failed to be run again', async () => {
    const { id } = await migrateQuestionOption(admin, topics.id, { from: 'a', to: 'b' })
    await expect(migrateQuestionOption(admin, topics.id, { from: 'b', to: 'c' })).rejects.toThrow('wait until it is done')
    await expect(addQuestionOptions(admin, topics.id, { options: options('a') })).rejects.toThrow('wait until it is done')
    await addQuestionOptions(admin, mood.id, { options: options('other') })
    await team.ctx.db.sql.run("update jobs set status = 'failed' where id = ?", [id])
    await expect(migrateQuestionOption(admin, topics.id, { from: 'b', to: 'c' })).rejects.toThrow('has failed')
  })

  test('walks all records, also if there are more than one piece of them', async () => {
    const { text } = await createRecordsBulk(
      owner,
      datasetId,
      Array.from({ length: 450 }, () => ({
        fields: { text: 'plum' },
        suggestions: [{ question_id: mood.id, value: 'good' }],
      })),
    )
    const added = JSON.parse(text).items as { id: Id }[]
    await replace(mood, 'good', 'so-so')
    expect(suggestionOf(await read(added[449]?.id as Id), mood)).toMatchObject({ value: 'so-so' })
    expect(await getOptionUses(admin, mood.id, 'so-so')).toMatchObject({ suggestions: 450 })
    expect(await getOptionUses(admin, mood.id, 'good')).toMatchObject({ responses: 0, suggestions: 0 })
  })
})
