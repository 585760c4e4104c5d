import { allow, DomainError } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import { toShareCard } from '@postil/domain/share'
import type { Context, RequestContext } from '../../context.ts'
import { countResponsesOf } from '../datasets/progress-store.ts'
import { loadDataset } from '../datasets/store.ts'
import { signCard } from './sign.ts'

/** Nothing is kept of a card: what it says is in it. */
export async function shareMyProgress(ctx: RequestContext, id: Id): Promise<{ card: string }> {
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
  return { card: signCard(ctx.secrets, card) }
}

export function checkSharing({ config }: Pick<Context, 'config'>): void {
  if (!config.shareYourProgress) throw new DomainError('not_found', 'Sharing progress is off on this server')
}
