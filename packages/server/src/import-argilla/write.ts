/**
 * Writes the source data, with its ids and times, through the stores that requests use. Each transaction is self-contained:
 * accounts; a dataset with its settings; a batch of records with their responses, suggestions and vectors. Existing rows are not
 * changed, so that a killed run can be continued.
 *
 * Changes are logged for search and the change feed. No events are emitted, so webhooks receive nothing.
 */
import { randomInt } from 'node:crypto'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { audit } from '../features/audit-log/add.ts'
import { insertDataset } from '../features/datasets/store.ts'
import { insertField } from '../features/fields/store.ts'
import { insertMetadataProperty } from '../features/metadata-properties/store.ts'
import { insertQuestion } from '../features/questions/store.ts'
import { insertUser } from '../features/users/store.ts'
import { insertVectorsSettings } from '../features/vectors-settings/store.ts'
import { findNewestPlace } from '../features/webhooks/event-store.ts'
import { clearSubscriptionCache, INITIAL_STATE, insertWebhook, lockWebhooks } from '../features/webhooks/store.ts'
import { insertMemberships, insertWorkspace } from '../features/workspaces/store.ts'
import { unusablePasswordHash } from '../lib/password.ts'
import { addChange } from '../storage/heads.ts'
import { type Tx, write } from '../storage/write.ts'
import type { Accounts, SourceUser, SourceWebhook } from './read-accounts.ts'
import type { SourceDataset } from './read-datasets.ts'

/**
 * Leaves room for increments within 32 bits. The start is random, so that tokens of a deleted user with the same id are not
 * valid.
 */
const VERSION_MAX = 2 ** 30

export function writeAccounts(
  ctx: Context,
  { users, workspaces, memberships }: Accounts,
  existing: ReadonlySet<Id>,
): Promise<void> {
  const isNew = ({ id }: { id: Id }) => !existing.has(id)
  return write(ctx, async tx => {
    for (const user of users.filter(isNew)) await insertUser(tx, toUserRow(ctx, user))
    for (const workspace of workspaces.filter(isNew)) await insertWorkspace(tx, workspace)
    // Members who were removed here after an earlier run stay removed.
    const added = memberships.filter(({ user_id, workspace_id }) => !existing.has(user_id) || !existing.has(workspace_id))
    await insertMemberships(tx, added)
  })
}

function toUserRow(ctx: Context, { api_key, password_hash, ...user }: SourceUser) {
  return {
    ...user,
    password_hash: password_hash ?? unusablePasswordHash(),
    credentials_version: randomInt(2, VERSION_MAX),
    api_key_hash: ctx.apiKeys.hash(api_key),
    api_key_encrypted: ctx.apiKeys.encrypt(api_key),
    deactivated_at: null,
  }
}

export function writeDataset(ctx: Context, from: SourceDataset): Promise<void> {
  return write(ctx, async tx => {
    const { dataset } = from
    await insertDataset(tx, dataset)
    for (const field of from.fields) await insertField(tx, field)
    for (const question of from.questions) await insertQuestion(tx, question)
    for (const property of from.metadataProperties) await insertMetadataProperty(tx, property)
    for (const settings of from.vectorsSettings) await insertVectorsSettings(tx, settings)
    const rows = from.annotators.map(({ user_id, inserted_at }) => [dataset.id, user_id, inserted_at])
    await tx.sql.insertAll('datasets_users', ['dataset_id', 'user_id', 'inserted_at'], rows)
    addChange(tx, dataset.id, { event: 'dataset.created' })
    if (dataset.status === 'ready') addChange(tx, dataset.id, { event: 'dataset.published' })
  })
}

/** Written last, so that webhooks receive only later events. */
export function writeWebhooks(ctx: Context, webhooks: readonly SourceWebhook[], existing: ReadonlySet<Id>): Promise<void> {
  return write(ctx, async tx => {
    await lockWebhooks(tx)
    for (const webhook of webhooks) if (!existing.has(webhook.id)) await addWebhook(ctx, tx, webhook)
    clearSubscriptionCache(tx)
  })
}

async function addWebhook(ctx: Context, tx: Tx, { secret, events, enabled, ...webhook }: SourceWebhook): Promise<void> {
  const reached = await findNewestPlace(tx)
  await insertWebhook(tx, {
    ...webhook,
    secret_encrypted: ctx.apiKeys.encrypt(secret),
    events: JSON.stringify(events),
    enabled: enabled ? 1 : 0,
    reached_xid: reached.xid,
    reached_no: reached.no,
    ...INITIAL_STATE,
  })
}

/** One entry per run, with the imported counts in the details. */
export const auditImport = (ctx: Context, details: Record<string, number>): Promise<void> =>
  write(ctx, tx => audit(tx, ctx, { action: 'server.imported', details: { command: 'import-argilla', ...details } }))
