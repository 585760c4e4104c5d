/** Finds names that the target already uses. Conflicts are refused before anything is written. */
import { skeletonOf } from '@postil/domain/confusables'
import type { Id } from '@postil/domain/schema'
import { WEBHOOKS_MAX } from '@postil/domain/webhooks'
import type { Context } from '../context.ts'
import { listWebhooks } from '../features/webhooks/store.ts'
import { marks } from '../storage/database.ts'
import { DELETED, PSEUDONYM } from '../storage/deleted-users.ts'
import type { Accounts } from './read-accounts.ts'
import type { SourceDataset } from './read-datasets.ts'

const IDS_PER_QUERY = 1_000

export interface Conflicts {
  lines: string[]
  /** Ids of users, workspaces, datasets and webhooks that exist in the target. */
  existing: ReadonlySet<Id>
}

export async function findConflicts(ctx: Context, accounts: Accounts, datasets: readonly SourceDataset[]): Promise<Conflicts> {
  const lines: string[] = []
  const existing = new Set<Id>()
  await findUserConflicts(ctx, accounts, lines, existing)
  const workspaces = await ctx.db.sql.all<{ id: Id; name: string }>('select id, name from workspaces order by id')
  const workspaceIds = new Map(workspaces.map(({ id, name }) => [name, id]))
  const workspaceLooks = new Map(workspaces.map(({ name }) => [skeletonOf(name), name]))
  for (const { id } of workspaces) existing.add(id)
  for (const { id, name } of accounts.workspaces) {
    if (existing.has(id)) continue
    const twin = workspaceLooks.get(skeletonOf(name))
    if (workspaceIds.has(name)) {
      lines.push(`Workspace \`${name}\`: there is another one with this name here (${workspaceIds.get(name)}).`)
    } else if (twin !== undefined) lines.push(`Workspace \`${name}\`: it looks like the workspace \`${twin}\` here.`)
  }
  await findDatasetConflicts(ctx, datasets, lines, existing)
  const webhooks = await listWebhooks(ctx.db)
  for (const { id } of webhooks) existing.add(id)
  const added = accounts.webhooks.filter(({ id }) => !existing.has(id)).length
  if (webhooks.length + added > WEBHOOKS_MAX) {
    lines.push(`Webhooks: ${webhooks.length} are here and ${added} would come, but there can be ${WEBHOOKS_MAX}.`)
  }
  return { lines, existing }
}

async function findUserConflicts(ctx: Context, { users }: Accounts, lines: string[], existing: Set<Id>): Promise<void> {
  const stored = await ctx.db.sql.all<{ id: Id; username: string; api_key_hash: string; role: string }>(
    'select id, username, api_key_hash, role from users order by id',
  )
  const byId = new Map(stored.map(user => [user.id, user]))
  const byName = new Map(stored.map(user => [user.username, user.id]))
  const byLook = new Map(stored.flatMap(({ username, role }) => (role === DELETED ? [] : [[skeletonOf(username), username]])))
  const byKey = new Map(stored.map(user => [user.api_key_hash, user.id]))
  for (const user of users) {
    const found = byId.get(user.id)
    if (found) {
      existing.add(user.id)
      const isGone = found.role === DELETED || found.role === PSEUDONYM
      if (isGone) lines.push(`User \`${user.username}\`: the user with the id ${user.id} was deleted here.`)
      continue
    }
    if (byName.has(user.username)) {
      lines.push(`User \`${user.username}\`: there is another one with this name here (${byName.get(user.username)}).`)
    } else if (byLook.has(skeletonOf(user.username))) {
      lines.push(`User \`${user.username}\`: it looks like the user \`${byLook.get(skeletonOf(user.username))}\` here.`)
    }
    const owner = byKey.get(ctx.apiKeys.hash(user.api_key))
    if (owner !== undefined) lines.push(`User \`${user.username}\`: another user here has the same API key (${owner}).`)
  }
}

async function findDatasetConflicts(
  { db }: Context,
  datasets: readonly SourceDataset[],
  lines: string[],
  existing: Set<Id>,
): Promise<void> {
  const stored = await db.sql.all<{ id: Id; name: string; workspace_id: Id }>(
    'select id, name, workspace_id from datasets order by id',
  )
  const byName = new Map(stored.map(({ id, name, workspace_id }) => [`${workspace_id} ${name}`, id]))
  for (const { id } of stored) existing.add(id)
  for (const { dataset } of datasets) {
    const other = byName.get(`${dataset.workspace_id} ${dataset.name}`)
    if (existing.has(dataset.id) || other === undefined) continue
    lines.push(`Dataset \`${dataset.name}\`: its workspace has another one with this name here (${other}).`)
  }
}

/** Returns which of these records exist in the target, with their dataset ids; null if the dataset was deleted. */
export async function findExistingRecords({ db }: Pick<Context, 'db'>, ids: readonly Id[]): Promise<Map<Id, Id | null>> {
  const found = new Map<Id, Id | null>()
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const some = ids.slice(start, start + IDS_PER_QUERY)
    const text = `select r.id, h.dataset_id from records r left join dataset_heads h on h.no = r.dataset_no where r.id in (${marks(some)})`
    const rows = await db.sql.all<{ id: Id; dataset_id: Id | null }>(text, some)
    for (const row of rows) found.set(row.id, row.dataset_id)
  }
  return found
}
