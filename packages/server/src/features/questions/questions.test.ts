import { ShapeError } from '@postil/domain/errors'
import type { QuestionCreate } from '@postil/domain/questions'
import { afterAll, describe, expect, test } from 'vitest'
import { addDraft, addPublished, MOOD_QUESTION, openTestTeam, settingsVersion, TEXT_FIELD } from '../datasets/testing/datasets.ts'
import { createField } from '../fields/create.ts'
import { createQuestion } from './create.ts'
import { deleteQuestion } from './delete.ts'
import { listQuestions } from './list.ts'
import { updateQuestion } from './update.ts'

const team = await openTestTeam({ SERVICE_LABEL_SELECTION_OPTIONS_MAX_ITEMS: '30' })
afterAll(() => team.ctx.close())
const { owner } = team

const options = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ value: `v${i}`, text: `V ${i}`, description: null }))
const labels = (count: number) =>
  ({ name: 'label', title: 'Label', settings: { type: 'label_selection', options: options(count) } }) as const
const span = (name: string, field: string) =>
  ({ name, title: name, settings: { type: 'span', field, options: options(2), allow_overlapping: true } }) as const

describe('adding a question', () => {
  test('stores it complete, and the list is oldest first', async () => {
    const { id } = await addDraft(team)
    const version = await settingsVersion(team.ctx, id)
    const mood = await createQuestion(owner, id, MOOD_QUESTION)
    const label = await createQuestion(owner, id, labels(21))
    expect(mood).toEqual({
      id: expect.any(String),
      name: 'mood',
      title: 'Mood',
      description: null,
      required: true,
      settings: { type: 'text', use_markdown: false },
      dataset_id: id,
      inserted_at: mood.updated_at,
      updated_at: mood.updated_at,
    })
    // More than 20 labels, without `visible_options`.
    expect(label.settings).toMatchObject({ visible_options: 20 })
    expect(await listQuestions(owner, id)).toEqual({ items: [mood, label] })
    expect(await settingsVersion(team.ctx, id)).toBe(version + 2)
  })

  test('refuses a name that another question or a field has', async () => {
    const { id } = await addDraft(team)
    await createField(owner, id, TEXT_FIELD)
    await createQuestion(owner, id, MOOD_QUESTION)
    await expect(createQuestion(owner, id, MOOD_QUESTION)).rejects.toMatchObject({ code: 'not_unique' })
    await expect(createQuestion(owner, id, { ...MOOD_QUESTION, name: 'text' })).rejects.toMatchObject({ code: 'unprocessable' })
    expect((await listQuestions(owner, id)).items).toHaveLength(1)
  })

  test('once published is refused, a taken name first', async () => {
    const { id } = await addPublished(team)
    await expect(createQuestion(owner, id, MOOD_QUESTION)).rejects.toMatchObject({ code: 'not_unique' })
    await expect(createQuestion(owner, id, { ...MOOD_QUESTION, name: 'new' })).rejects.toMatchObject({ code: 'unprocessable' })
  })

  test('with more labels than the server allows is wrong before anything is looked up', async () => {
    const { id } = await addDraft(team)
    await createQuestion(owner, id, labels(30))
    await expect(createQuestion(owner, team.ctx.newId(), labels(31))).rejects.toThrow(ShapeError)
  })

  test.each<{ given: QuestionCreate; code: string | null }>([
    { given: span('missing', 'nowhere'), code: 'unprocessable' },
    { given: span('first', 'text'), code: null },
    { given: span('first', 'nowhere'), code: 'not_unique' },
    { given: span('second', 'text'), code: 'unprocessable' },
    { given: span('second', 'other'), code: null },
  ])('for spans needs a field that no other one uses: $given.name of $given.settings.field', async ({ given, code }) => {
    const created = createQuestion(owner, await spanDataset(), given)
    await (code === null ? expect(created).resolves.toBeDefined() : expect(created).rejects.toMatchObject({ code }))
  })

  let known: string | undefined
  async function spanDataset(): Promise<string> {
    if (known === undefined) {
      known = (await addDraft(team)).id
      for (const name of ['text', 'other']) await createField(owner, known, { ...TEXT_FIELD, name })
    }
    return known
  }
})

describe('changing a question', () => {
  test('takes title, description and what its type lets change, also once published', async () => {
    const { id } = await addPublished(team)
    const [mood] = (await listQuestions(owner, id)).items
    if (!mood) throw new Error('no question')
    const version = await settingsVersion(team.ctx, id)
    const changed = await updateQuestion(owner, mood.id, {
      title: 'How is it?',
      description: 'In one word.',
      settings: { type: 'text', use_markdown: true },
    })
    expect(changed).toEqual({
      ...mood,
      title: 'How is it?',
      description: 'In one word.',
      settings: { type: 'text', use_markdown: true },
      updated_at: changed.updated_at,
    })
    expect(await listQuestions(owner, id)).toEqual({ items: [changed] })
    expect(await settingsVersion(team.ctx, id)).toBe(version + 1)
    expect(await updateQuestion(owner, mood.id, { description: null })).toMatchObject({ title: 'How is it?', description: null })
  })

  test('reorders and rewords labels, and keeps what is not given', async () => {
    const { id } = await addDraft(team)
    const label = await createQuestion(owner, id, labels(3))
    const reordered = options(3).reverse()
    const changed = await updateQuestion(owner, label.id, { settings: { type: 'label_selection', options: reordered } })
    expect(changed.settings).toEqual({ type: 'label_selection', options: reordered, visible_options: null })
    expect((await updateQuestion(owner, label.id, { title: 'T' })).settings).toEqual(changed.settings)
    await expect(
      updateQuestion(owner, label.id, { settings: { type: 'label_selection', options: options(4) } }),
    ).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(updateQuestion(owner, label.id, { settings: { type: 'text' } })).rejects.toMatchObject({ code: 'unprocessable' })
  })

  test('sent twice, as the Python client does, changes nothing the second time', async () => {
    const { id } = await addDraft(team)
    const { id: questionId } = await createQuestion(owner, id, labels(3))
    const given = { title: 'Again', settings: { type: 'label_selection', options: options(3), visible_options: 3 } } as const
    const first = await updateQuestion(owner, questionId, { ...given, settings: { ...given.settings, options: [...options(3)] } })
    const version = await settingsVersion(team.ctx, id)
    expect(
      await updateQuestion(owner, questionId, { ...given, settings: { ...given.settings, options: [...options(3)] } }),
    ).toEqual(first)
    expect(await settingsVersion(team.ctx, id)).toBe(version)
  })

  test('with more labels than the server allows is wrong before anything is looked up', async () => {
    const given = { settings: { type: 'label_selection', options: options(31) } } as const
    await expect(updateQuestion(owner, team.ctx.newId(), given)).rejects.toThrow(ShapeError)
  })
})

describe('removing a question', () => {
  test('answers it, and it is gone', async () => {
    const { id } = await addDraft(team)
    const question = await createQuestion(owner, id, MOOD_QUESTION)
    expect(await deleteQuestion(owner, { id: question.id })).toEqual(question)
    expect(await listQuestions(owner, id)).toEqual({ items: [] })
  })

  test('is refused once published', async () => {
    const { id } = await addPublished(team)
    const [question] = (await listQuestions(owner, id)).items
    await expect(deleteQuestion(owner, { id: question?.id ?? '' })).rejects.toMatchObject({ code: 'unprocessable' })
  })

  test('by the path of another dataset does not find it', async () => {
    const [{ id }, published] = [await addDraft(team), await addPublished(team)]
    const question = await createQuestion(owner, id, MOOD_QUESTION)
    const misplaced = deleteQuestion(owner, { id: question.id, datasetId: published.id })
    await expect(misplaced).rejects.toMatchObject({ code: 'not_found' })
    expect(await deleteQuestion(owner, { id: question.id, datasetId: id })).toEqual(question)
  })
})
