import { afterAll, describe, expect, test } from 'vitest'
import { addDraft, addPublished, MOOD_QUESTION, openTestTeam, settingsVersion, TEXT_FIELD } from '../datasets/testing/datasets.ts'
import { createQuestion } from '../questions/create.ts'
import { createField } from './create.ts'
import { deleteField } from './delete.ts'
import { listFields } from './list.ts'
import { updateField } from './update.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())
const { owner } = team

describe('adding a field', () => {
  test('stores it, and the list is oldest first', async () => {
    const { id } = await addDraft(team)
    const version = await settingsVersion(team.ctx, id)
    const text = await createField(owner, id, TEXT_FIELD)
    const card = await createField(owner, id, {
      name: 'card',
      title: 'Card',
      settings: { type: 'custom', template: '', advanced_mode: false },
    })
    expect(card).toEqual({
      id: expect.any(String),
      name: 'card',
      title: 'Card',
      required: false,
      settings: { type: 'custom', template: '', advanced_mode: false },
      dataset_id: id,
      inserted_at: card.updated_at,
      updated_at: card.updated_at,
    })
    expect(await listFields(owner, id)).toEqual({ items: [text, card] })
    expect(await settingsVersion(team.ctx, id)).toBe(version + 2)
  })

  test('refuses a name that another field or a question has', async () => {
    const { id } = await addDraft(team)
    await createField(owner, id, TEXT_FIELD)
    await createQuestion(owner, id, MOOD_QUESTION)
    await expect(createField(owner, id, TEXT_FIELD)).rejects.toMatchObject({ code: 'not_unique' })
    await expect(createField(owner, id, { ...TEXT_FIELD, name: 'mood' })).rejects.toMatchObject({ code: 'unprocessable' })
    expect((await listFields(owner, id)).items).toHaveLength(1)
  })

  test('is refused once published, whatever its name', async () => {
    const { id } = await addPublished(team)
    await expect(createField(owner, id, TEXT_FIELD)).rejects.toMatchObject({ code: 'unprocessable' })
  })
})

describe('changing a field', () => {
  test('takes title and settings, also once published', async () => {
    const { id } = await addPublished(team)
    const [field] = (await listFields(owner, id)).items
    if (!field) throw new Error('no field')
    const version = await settingsVersion(team.ctx, id)
    const changed = await updateField(owner, field.id, { title: 'Review', settings: { type: 'text', use_markdown: true } })
    expect(changed).toEqual({
      ...field,
      title: 'Review',
      settings: { type: 'text', use_markdown: true },
      updated_at: changed.updated_at,
    })
    expect(changed.updated_at > field.updated_at).toBe(true)
    expect(await listFields(owner, id)).toEqual({ items: [changed] })
    expect(await settingsVersion(team.ctx, id)).toBe(version + 1)
  })

  test('with what it has already leaves it alone', async () => {
    const { id } = await addDraft(team)
    const field = await createField(owner, id, TEXT_FIELD)
    const version = await settingsVersion(team.ctx, id)
    expect(await updateField(owner, field.id, { title: field.title, settings: { type: 'text', use_markdown: false } })).toEqual(
      field,
    )
    expect(await settingsVersion(team.ctx, id)).toBe(version)
  })

  test('refuses another type', async () => {
    const { id } = await addDraft(team)
    const field = await createField(owner, id, TEXT_FIELD)
    const change = updateField(owner, field.id, { settings: { type: 'image' } })
    await expect(change).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('type cannot be changed'),
    })
  })
})

describe('removing a field', () => {
  test('answers it, and it is gone', async () => {
    const { id } = await addDraft(team)
    const field = await createField(owner, id, TEXT_FIELD)
    const version = await settingsVersion(team.ctx, id)
    expect(await deleteField(owner, { id: field.id })).toEqual(field)
    expect(await listFields(owner, id)).toEqual({ items: [] })
    expect(await settingsVersion(team.ctx, id)).toBe(version + 1)
  })

  test('is refused once published', async () => {
    const { id } = await addPublished(team)
    const [field] = (await listFields(owner, id)).items
    await expect(deleteField(owner, { id: field?.id ?? '' })).rejects.toMatchObject({ code: 'unprocessable' })
    expect((await listFields(owner, id)).items).toEqual([field])
  })

  test('by the path of another dataset does not find it', async () => {
    const [{ id }, other, published] = [await addDraft(team), await addDraft(team), await addPublished(team)]
    const field = await createField(owner, id, TEXT_FIELD)
    for (const datasetId of [other.id, published.id, team.ctx.newId()]) {
      await expect(deleteField(owner, { id: field.id, datasetId })).rejects.toMatchObject({ code: 'not_found' })
    }
    expect(await deleteField(owner, { id: field.id, datasetId: id })).toEqual(field)
  })
})
