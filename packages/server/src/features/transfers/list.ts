import { canChangeDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import { TRANSFERS_MAX, type Transfer, type Transfers } from '@postil/domain/transfers'
import type { RequestContext } from '../../context.ts'
import { listDatasetWorkspaces } from '../datasets/store.ts'
import { unitOf } from '../jobs/store.ts'
import { listTransferRows, TRANSFER_JOBS, type TransferRow } from './store.ts'

/** Lists the transfers of datasets that the caller may change; empty for other users. */
export async function listMyTransfers(ctx: RequestContext): Promise<Transfers> {
  const rows = (await listTransferRows(ctx.db)).flatMap(toTransfer)
  const workspaces = await listDatasetWorkspaces(
    ctx.db,
    rows.map(({ dataset_id }) => dataset_id),
  )
  const items = rows.filter(({ dataset_id }) => {
    const workspace_id = workspaces.get(dataset_id)
    return workspace_id !== undefined && canChangeDataset(ctx.actor, { workspace_id })
  })
  return { items: items.slice(0, TRANSFERS_MAX) }
}

function toTransfer({ id, name, status, payload, error, inserted_at }: TransferRow): Transfer[] {
  const { dataset_id, done, total } = JSON.parse(payload) as { dataset_id?: Id; done?: number; total?: number | null }
  const kind = TRANSFER_JOBS[name]
  if (kind === undefined || dataset_id === undefined) return []
  const progress = typeof done === 'number' ? { done, total: total ?? null, ...unitOf(name) } : null
  return [{ id, dataset_id, kind, status, progress, error, inserted_at }]
}
