import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createField } from '../fields/create.ts'
import { createQuestion } from '../questions/create.ts'
import { createDataset } from './create.ts'
import { getDataset } from './get.ts'
import { listDatasets } from './list.ts'
import { publishDataset } from './publish.ts'
import { addDraft, MOOD_QUESTION, openTestTeam, TEXT_FIELD, type TestTeam } from './testing/datasets.ts'
import { updateDataset } from './update.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())

const names = ({ items }: { items: { name: string }[] }) => items.map(dataset => dataset.name)
const eventsOf = (id: string) =>
  team.ctx.events.flatMap(event => ('dataset' in event.payload && event.payload.dataset.id === id ? [event.name] : []))

describe('creating a dataset', () => {
  test('makes a draft with everything left out filled in', async () => {
    const dataset = await createDataset(team.admin, { name: 'plain', workspace_id: team.workspaceId })
    expect(dataset).toEqual({
      id: expect.any(String),
      name: 'plain',
      guidelines: null,
      allow_extra_metadata: true,
      status: 'draft',
      distribution: { strategy: 'overlap', min_submitted: 1 },
      metadata: null,
      workspace_id: team.workspaceId,
      last_activity_at: dataset.inserted_at,
      inserted_at: dataset.inserted_at,
      updated_at: dataset.inserted_at,
    })
    expect(await getDataset(team.annotator, dataset.id)).toEqual(dataset)
    expect(eventsOf(dataset.id)).toEqual(['dataset.created'])
  })

  test('refuses a name that the workspace has already', async () => {
    await addDraft(team, 'taken')
    await expect(addDraft(team, 'taken')).rejects.toMatchObject({ code: 'not_unique' })
  })

  test('in a workspace that does not exist is a mistake of the owner, and forbidden to others', async () => {
    const given = { name: 'lost', workspace_id: team.ctx.newId() }
    await expect(createDataset(team.owner, given)).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(createDataset(team.admin, given)).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('listing datasets', () => {
  let own: TestTeam
  beforeAll(async () => {
    own = await openTestTeam()
    await addDraft(own, 'first')
    const second = await addDraft(own, 'second')
    await createField(own.owner, second.id, TEXT_FIELD)
    await createQuestion(own.owner, second.id, MOOD_QUESTION)
    await publishDataset(own.owner, second.id)
    const [otherWorkspace] = own.strangeAdmin.actor.workspace_ids
    await createDataset(own.owner, { name: 'elsewhere', workspace_id: otherWorkspace ?? '' })
  })
  afterAll(() => own.ctx.close())

  test('shows owners all, others those of their workspaces, oldest first', async () => {
    expect(names(await listDatasets(own.owner, {}))).toEqual(['first', 'second', 'elsewhere'])
    expect(names(await listDatasets(own.annotator, {}))).toEqual(['first', 'second'])
    expect(names(await listDatasets(own.strangeAnnotator, {}))).toEqual(['elsewhere'])
  })

  test('combines its filters', async () => {
    const { workspaceId } = own
    expect(names(await listDatasets(own.owner, { workspace_id: workspaceId }))).toEqual(['first', 'second'])
    expect(names(await listDatasets(own.owner, { name: 'second' }))).toEqual(['second'])
    expect(names(await listDatasets(own.owner, { name: 'secon' }))).toEqual([])
    expect(names(await listDatasets(own.owner, { status: 'ready' }))).toEqual(['second'])
    expect(names(await listDatasets(own.annotator, { workspace_id: workspaceId, name: 'first', status: 'ready' }))).toEqual([])
  })

  test('of a workspace is for its members; an owner finds none in a missing one', async () => {
    const missing = own.ctx.newId()
    expect(names(await listDatasets(own.owner, { workspace_id: missing }))).toEqual([])
    await expect(listDatasets(own.admin, { workspace_id: missing })).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('changing a dataset', () => {
  test('moves its times when something changed', async () => {
    const before = await addDraft(team)
    const after = await updateDataset(team.admin, before.id, { guidelines: 'Be kind.', allow_extra_metadata: false })
    expect(after).toMatchObject({ guidelines: 'Be kind.', allow_extra_metadata: false, inserted_at: before.inserted_at })
    expect(after.updated_at > before.updated_at).toBe(true)
    expect(after.last_activity_at).toBe(after.updated_at)
    expect(await getDataset(team.owner, before.id)).toEqual(after)
  })

  test.each([
    { given: {} },
    { given: { guidelines: null } },
    { given: { distribution: { strategy: 'overlap', min_submitted: 1 } as const } },
  ])('with what it has already, $given, leaves it alone but is told', async ({ given }) => {
    const before = await addDraft(team)
    expect(await updateDataset(team.admin, before.id, given)).toEqual(before)
    expect(await getDataset(team.owner, before.id)).toEqual(before)
    expect(eventsOf(before.id)).toEqual(['dataset.created', 'dataset.updated'])
  })

  test('refuses a name that another dataset of the workspace has, but not its own', async () => {
    await addDraft(team, 'theirs')
    const { id } = await addDraft(team, 'ours')
    await expect(updateDataset(team.owner, id, { name: 'theirs' })).rejects.toMatchObject({ code: 'not_unique' })
    expect(await updateDataset(team.owner, id, { name: 'ours' })).toMatchObject({ name: 'ours' })
  })

  test('merges metadata key by key, and null clears it', async () => {
    const { id } = await addDraft(team)
    const stored = async () => (await getDataset(team.owner, id)).metadata
    await updateDataset(team.owner, id, { metadata: { a: 1, b: { c: 2 } } })
    await updateDataset(team.owner, id, { metadata: { b: { d: 3 }, constructor: 'x' } })
    expect(await stored()).toEqual({ a: 1, b: { d: 3 }, constructor: 'x' })
    await updateDataset(team.owner, id, { guidelines: 'Metadata stays.' })
    expect(await stored()).toEqual({ a: 1, b: { d: 3 }, constructor: 'x' })
    await updateDataset(team.owner, id, { metadata: null })
    expect(await stored()).toBeNull()
  })
})

describe('publishing a dataset', () => {
  test('says what is missing, in order', async () => {
    const { id } = await addDraft(team)
    const refusal = () => publishDataset(team.admin, id).catch(error => error.message)
    expect(await refusal()).toMatch('without a field')
    await createField(team.owner, id, { ...TEXT_FIELD, name: 'optional', required: null })
    expect(await refusal()).toMatch('without a required field')
    await createField(team.owner, id, TEXT_FIELD)
    expect(await refusal()).toMatch('without a required question')
    await createQuestion(team.owner, id, { ...MOOD_QUESTION, required: false, name: 'optional-mood' })
    expect(await refusal()).toMatch('without a required question')
    await createQuestion(team.owner, id, MOOD_QUESTION)

    const published = await publishDataset(team.admin, id)
    expect(published).toMatchObject({ status: 'ready', last_activity_at: published.updated_at })
    expect(await getDataset(team.owner, id)).toEqual(published)
    expect(eventsOf(id)).toEqual(['dataset.created', 'dataset.published'])
    expect(await refusal()).toMatch('already published')
  })
})
