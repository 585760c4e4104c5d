import { invalid, notUnique } from '@postil/domain/errors'
import type { Field, FieldCreate } from '@postil/domain/fields'
import type { FieldSettings } from '@postil/domain/fields/registry'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import type { Tx } from '../../storage/write.ts'
import { addToDataset, checkDraft } from '../datasets/change-settings.ts'
import { listQuestions } from '../questions/store.ts'
import { insertField, listFields } from './store.ts'

export function createField(ctx: RequestContext, datasetId: Id, given: FieldCreate): Promise<Field> {
  return addToDataset(ctx, { datasetId, what: 'fields' }, async (tx, dataset) => {
    checkDraft(dataset, 'Adding a field')
    await checkName(tx, dataset.id, given.name)

    const now = ctx.now()
    const field: Field = {
      id: ctx.newId(),
      name: given.name,
      title: given.title,
      required: given.required ?? false,
      // The cast is safe: the schema has filled in the defaults, which are the only difference between the types.
      settings: given.settings as FieldSettings,
      dataset_id: dataset.id,
      inserted_at: now,
      updated_at: now,
    }
    await insertField(tx, field)
    return field
  })
}

/** Exported records have one column per field and question, so their names must be unique. */
async function checkName(tx: Tx, datasetId: Id, name: string): Promise<void> {
  const isTaken = (item: { name: string }) => item.name === name
  if ((await listFields(tx, datasetId)).some(isTaken)) throw notUnique(`Field with name \`${name}\` already exists`, ['name'])
  if ((await listQuestions(tx, datasetId)).some(isTaken)) throw invalid(`\`${name}\` is the name of a question already`, ['name'])
}
