import type { Dataset } from '@postil/domain/datasets'
import type { Id } from '@postil/domain/schema'
import { afterAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { createField } from '../fields/create.ts'
import { deleteField } from '../fields/delete.ts'
import { listFields } from '../fields/list.ts'
import { updateField } from '../fields/update.ts'
import { createMetadataProperty } from '../metadata-properties/create.ts'
import { deleteMetadataProperty } from '../metadata-properties/delete.ts'
import { getMetadataPropertyMetrics } from '../metadata-properties/get-metrics.ts'
import { listMetadataProperties } from '../metadata-properties/list.ts'
import { updateMetadataProperty } from '../metadata-properties/update.ts'
import { createQuestion } from '../questions/create.ts'
import { deleteQuestion } from '../questions/delete.ts'
import { listQuestions } from '../questions/list.ts'
import { updateQuestion } from '../questions/update.ts'
import { createVectorsSettings } from '../vectors-settings/create.ts'
import { deleteVectorsSettings } from '../vectors-settings/delete.ts'
import { listVectorsSettings } from '../vectors-settings/list.ts'
import { updateVectorsSettings } from '../vectors-settings/update.ts'
import { createDataset } from './create.ts'
import { deleteDataset } from './delete.ts'
import { getDataset } from './get.ts'
import { getMyDatasetMetrics } from './get-my-metrics.ts'
import { getDatasetProgress } from './get-progress.ts'
import { getDatasetUsersProgress } from './get-users-progress.ts'
import { publishDataset } from './publish.ts'
import { addDraft, MOOD_QUESTION, openTestTeam, TEXT_FIELD } from './testing/datasets.ts'
import { updateDataset } from './update.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())

const { owner } = team
const PROPERTY = { name: 'source', title: 'Source', settings: { type: 'terms', values: null } } as const
const VECTORS = { name: 'mini', title: 'Mini', dimensions: 2 }

/** Creates a publishable draft and returns the ids of its items. */
async function addComplete() {
  const dataset = await addDraft(team)
  return {
    dataset,
    field: (await createField(owner, dataset.id, TEXT_FIELD)).id,
    question: (await createQuestion(owner, dataset.id, MOOD_QUESTION)).id,
    visible: (await createMetadataProperty(owner, dataset.id, PROPERTY)).id,
    hidden: (await createMetadataProperty(owner, dataset.id, { ...PROPERTY, name: 'secret', visible_for_annotators: false })).id,
    vectors: (await createVectorsSettings(owner, dataset.id, VECTORS)).id,
  }
}

type Complete = Awaited<ReturnType<typeof addComplete>>
type Action = (ctx: RequestContext, complete: Complete) => Promise<unknown>

const ofDataset =
  (action: (ctx: RequestContext, id: Id) => Promise<unknown>): Action =>
  (ctx, { dataset }) =>
    action(ctx, dataset.id)

const FOR_MEMBERS: Record<string, Action> = {
  'read a dataset': ofDataset(getDataset),
  'list fields': ofDataset(listFields),
  'list questions': ofDataset(listQuestions),
  'list metadata properties': ofDataset(listMetadataProperties),
  'list vectors settings': ofDataset(listVectorsSettings),
  'read progress': ofDataset(getDatasetProgress),
  'read the progress of users': ofDataset(getDatasetUsersProgress),
  'read their own metrics': ofDataset(getMyDatasetMetrics),
  'read metrics of a visible property': (ctx, { visible }) => getMetadataPropertyMetrics(ctx, visible),
}

const FOR_MEMBER_ADMINS: Record<string, Action> = {
  'create a dataset': ctx => createDataset(ctx, { name: ctx.newId(), workspace_id: team.workspaceId }),
  'change a dataset': ofDataset((ctx, id) => updateDataset(ctx, id, {})),
  'publish a dataset': ofDataset(publishDataset),
  'delete a dataset': ofDataset(deleteDataset),
  'add a field': ofDataset((ctx, id) => createField(ctx, id, { ...TEXT_FIELD, name: 'new' })),
  'change a field': (ctx, { field }) => updateField(ctx, field, {}),
  'remove a field': (ctx, { field }) => deleteField(ctx, { id: field }),
  'remove a field by the older path': (ctx, { field, dataset }) => deleteField(ctx, { id: field, datasetId: dataset.id }),
  'add a question': ofDataset((ctx, id) => createQuestion(ctx, id, { ...MOOD_QUESTION, name: 'new' })),
  'change a question': (ctx, { question }) => updateQuestion(ctx, question, {}),
  'remove a question': (ctx, { question }) => deleteQuestion(ctx, { id: question }),
  'add a metadata property': ofDataset((ctx, id) => createMetadataProperty(ctx, id, { ...PROPERTY, name: 'new' })),
  'change a metadata property': (ctx, { visible }) => updateMetadataProperty(ctx, visible, {}),
  'remove a metadata property': (ctx, { visible }) => deleteMetadataProperty(ctx, visible),
  'read metrics of a hidden property': (ctx, { hidden }) => getMetadataPropertyMetrics(ctx, hidden),
  'add vectors settings': ofDataset((ctx, id) => createVectorsSettings(ctx, id, { ...VECTORS, name: 'new' })),
  'change vectors settings': (ctx, { vectors }) => updateVectorsSettings(ctx, vectors, { title: 'New' }),
  'remove vectors settings': (ctx, { vectors }) => deleteVectorsSettings(ctx, vectors),
}

const ACTIONS = Object.entries({ ...FOR_MEMBERS, ...FOR_MEMBER_ADMINS })

describe.each(ACTIONS)('to %s', (name, action) => {
  const allowed: ('owner' | 'admin' | 'annotator')[] = name in FOR_MEMBERS ? ['owner', 'admin', 'annotator'] : ['owner', 'admin']
  const refused = (['annotator', 'strangeAdmin', 'strangeAnnotator'] as const).filter(role => !allowed.includes(role as never))

  test.each(allowed)('is allowed to the %s', async role => {
    await expect(action(team[role], await addComplete())).resolves.toBeDefined()
  })

  test.each(refused)('is refused to the %s', async role => {
    await expect(action(team[role], await addComplete())).rejects.toMatchObject({ code: 'forbidden' })
  })
})

const missing = (): Complete => {
  const id = team.ctx.newId()
  return { dataset: { id } as Dataset, field: id, question: id, visible: id, hidden: id, vectors: id }
}

test.each(ACTIONS.filter(([name]) => name !== 'create a dataset'))(
  'to %s that is missing is not found, whoever asks',
  async (_, action) => {
    await expect(action(team.strangeAnnotator, missing())).rejects.toMatchObject({ code: 'not_found' })
  },
)
