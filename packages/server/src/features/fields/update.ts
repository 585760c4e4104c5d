import { checkFieldTypeUnchanged, type Field, type FieldUpdate } from '@postil/domain/fields'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { changeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

/** Changes title or settings of a field, in drafts and published datasets. */
export function updateField(ctx: RequestContext, id: Id, given: FieldUpdate): Promise<Field> {
  return changeItem(ctx, id, {
    what: 'fields',
    load: store.loadField,
    patch: field => {
      if (given.settings) checkFieldTypeUnchanged(field.settings, given.settings)
      return { ...field, ...given }
    },
    save: store.updateField,
  })
}
