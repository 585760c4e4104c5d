/**
 * Pseudonym of a deleted user whose responses are kept: the row with its id, under a name that does not identify the user.
 *
 * Responses, their history and comments remain. Flags are private to their user and are deleted: the first ones immediately, the
 * rest by a job.
 */
import { randomBytes } from 'node:crypto'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { logChange } from '../../events/emit.ts'
import type { JobStep } from '../../jobs/all.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { Queryable } from '../../storage/database.ts'
import { PSEUDONYM } from '../../storage/deleted-users.ts'
import { type Tx, write } from '../../storage/write.ts'
import { logNames } from './log-names.ts'
import * as store from './pseudonym-store.ts'
import { deleteInvitationsOf, loadAuthor, lockUserToDelete } from './store.ts'

/** Flags per batch; takes a few milliseconds. */
const FLAGS_MAX = 200

interface Progress {
  user_id: Id
  /** User who performed the deletion. */
  actor_id: Id
}

/** Replaces a user by a pseudonym. Has no effect on a pseudonym. */
export async function keepAsPseudonym(ctx: Context, tx: Tx, progress: Progress): Promise<void> {
  const { user_id } = progress
  // Runs before the user is locked, because a running job locks itself first and then the user.
  await store.deleteBulkJobsOf(tx, user_id)
  await lockUserToDelete(tx, user_id)
  const { role } = await loadAuthor(tx, user_id)
  if (role === PSEUDONYM) return

  await deleteInvitationsOf(tx, user_id)
  await store.replaceByPseudonym(tx, user_id, { username: await createPseudonym(tx), now: ctx.now() })
  await logNames(tx, user_id)
  const rest = await deleteSomeFlags(tx, progress)
  if (rest) await enqueue(tx, { id: ctx.newId(), now: ctx.now(), name: 'purge-flags', payload: rest })
}

export const purgeFlags: JobStep<Progress> = (ctx, progress) =>
  write(ctx, tx => {
    tx.actorId = progress.actor_id
    return deleteSomeFlags(tx, progress)
  })

/** Returns null when no flags are left. */
async function deleteSomeFlags(tx: Tx, progress: Progress): Promise<Progress | null> {
  const records = await store.listSomeFlagged(tx, progress.user_id, FLAGS_MAX)
  await store.deleteFlags(
    tx,
    progress.user_id,
    records.map(({ id }) => id),
  )
  for (const [dataset_id, flagged] of Map.groupBy(records, record => record.dataset_id)) {
    if (dataset_id !== null) logChange(tx, { name: 'flag.deleted', dataset_id, recordNos: flagged.map(({ no }) => no) })
  }
  return records.length === FLAGS_MAX ? progress : null
}

/** Generates an unused name, which gets longer until one is free. */
async function createPseudonym(db: Queryable): Promise<string> {
  for (let bytes = 3; ; bytes++) {
    const username = `deleted-user-${randomBytes(bytes).toString('hex')}`
    if (!(await store.isUsernameTaken(db, username))) return username
  }
}
