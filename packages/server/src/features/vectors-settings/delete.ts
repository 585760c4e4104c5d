import type { Id } from '@postil/domain/schema'
import type { VectorsSettings } from '@postil/domain/vectors'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import { removeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

/** Deletes vectors settings. Their vectors become inaccessible immediately and are deleted by a job. */
export async function deleteVectorsSettings(ctx: RequestContext, id: Id): Promise<VectorsSettings> {
  const settings = await removeItem(
    ctx,
    { id },
    {
      what: 'vectors_settings',
      noun: 'VectorSettings',
      load: store.loadVectorsSettings,
      remove: async (tx, stored) => {
        await store.deleteVectorsSettings(tx, stored.id)
        const payload = { vectors_settings_no: stored.no, dataset_id: stored.dataset_id, actor_id: ctx.actor.id, done: 0 }
        await enqueue(tx, { id: ctx.newId(), now: ctx.now(), name: 'purge-vectors', payload })
      },
    },
  )
  return store.toVectorsSettings(settings)
}
