import { allow, DomainError } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import { toShareCard } from '@postil/domain/share'
import type { Context, RequestContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { countResponsesOf } from '../datasets/progress-store.ts'
import { loadDataset } from '../datasets/store.ts'
import { signCard } from './sign.ts'
import * as writes from './writes.ts'

/**
 * Creates a signed card that contains all of its data, so the server does not store it. The writer only adds an audit log entry.
 */
export async function shareMyProgress(ctx: RequestContext, id: Id): Promise<OnWriter> {
  checkSharing(ctx)
  const dataset = await loadDataset(ctx.db, id)
  allow(canReadDataset(ctx.actor, dataset))
  const counts = await countResponsesOf(ctx.db, [id], ctx.actor.id)
  const card = toShareCard({
    dataset: dataset.name,
    submitted: counts.find(({ status }) => status === 'submitted')?.count ?? 0,
    completed: dataset.completed_count,
    total: dataset.records_count,
    date: ctx.now().slice(0, 10),
  })
  return new OnWriter(writes.noteShared, { dataset_id: id, card: signCard(ctx.secrets, card) })
}

export function noteShared(
  ctx: RequestContext,
  { dataset_id, card }: { dataset_id: Id; card: string },
): Promise<{ card: string }> {
  return write(ctx, async tx => {
    // Loaded again, because the dataset may have been deleted since.
    const dataset = await loadDataset(tx, dataset_id)
    await audit(tx, ctx, { action: 'dataset.progress_shared', target: dataset, workspaceId: dataset.workspace_id })
    return { card }
  })
}

export function checkSharing({ config }: Pick<Context, 'config'>): void {
  if (!config.shareYourProgress) throw new DomainError('not_found', 'Sharing progress is off on this server')
}
