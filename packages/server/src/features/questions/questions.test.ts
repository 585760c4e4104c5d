import { ShapeError } from '@postil/domain/errors'
import { afterAll, describe, expect, test } from 'vitest'
import { addDraft, addPublished, MOOD_QUESTION, openTestTeam, settingsVersion } from '../datasets/testing/datasets.ts'
import { createQuestion } from './create.ts'
import { listQuestions } from './list.ts'
import { setQuestionsOrder } from './order.ts'
import { setQuestionRequired } from './require.ts'
import { updateQuestion } from './update.ts'

const team = await openTestTeam({ SERVICE_LABEL_SELECTION_OPTIONS_MAX_ITEMS: '30' })
afterAll(() => team.ctx.close())
const { owner } = team

const options = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ value: `v${i}`, text: `V ${i}`, description: null }))
const labels = (count: number) =>
  ({ name: 'label', title: 'Label', settings: { type: 'label_selection', options: options(count) } }) as const

describe('adding a question', () => {
  test('with more labels than the server allows is wrong before anything is looked up', async () => {
    const { id } = await addDraft(team)
    await createQuestion(owner, id, labels(30))
    await expect(createQuestion(owner, team.ctx.newId(), labels(31))).rejects.toThrow(ShapeError)
  })
})

describe('changing a question', () => {
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

test('the order of questions is kept, names all of them, and new ones come last', async () => {
  const { id } = await addDraft(team)
  const [first, second] = [await createQuestion(owner, id, MOOD_QUESTION), await createQuestion(owner, id, labels(3))]
  const names = async () => (await listQuestions(owner, id)).items.map(({ name }) => name)
  expect(await names()).toEqual(['mood', 'label'])
  await setQuestionsOrder(owner, id, [second.id, first.id])
  expect(await names()).toEqual(['label', 'mood'])
  await expect(setQuestionsOrder(owner, id, [second.id])).rejects.toMatchObject({ code: 'unprocessable' })
  await createQuestion(owner, id, { ...MOOD_QUESTION, name: 'last' })
  expect(await names()).toEqual(['label', 'mood', 'last'])
})

test('the only required question of a published dataset stays required', async () => {
  const { id } = await addPublished(team)
  const [mood] = (await listQuestions(owner, id)).items
  if (!mood) throw new Error('no question')
  await expect(setQuestionRequired(owner, mood.id, false)).rejects.toMatchObject({ code: 'unprocessable' })
  expect((await listQuestions(owner, id)).items).toEqual([mood])
})
