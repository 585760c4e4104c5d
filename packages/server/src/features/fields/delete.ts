import type { Field } from '@postil/domain/fields'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { checkDraft, removeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

/** Removes a field from a draft. With `datasetId`, only if the field belongs to that dataset. */
export function deleteField(ctx: RequestContext, place: { id: Id; datasetId?: Id }): Promise<Field> {
  return removeItem(ctx, place, {
    what: 'fields',
    noun: 'Field',
    load: store.loadField,
    check: dataset => checkDraft(dataset, 'Removing a field'),
    remove: (tx, field) => store.deleteField(tx, field.id),
  })
}
