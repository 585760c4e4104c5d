/**
 * What is left of a deleted user whose responses are kept: the row with its id, under a name that does not tell who it was.
 *
 * Responses, their history and comments stay. Flags go, because they were for their user alone: some at once, the others by a job.
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
import { loadAuthor, lockUserToDelete } from './store.ts'

/** Flags of one piece: some milliseconds. */
const FLAGS_MAX = 200

interface Progress {
  user_id: Id
  /** Who deleted the user. */
  actor_id: Id
}

/** Replaces a user by a pseudonym. A pseudonym stays as it is. */
export async function keepAsPseudonym(ctx: Context, tx: Tx, progress: Progress): Promise<void> {
  const { user_id } = progress
  // Before the user is locked: a running job locks itself first, and then the user.
  await store.deleteBulkJobsOf(tx, user_id)
  await lockUserToDelete(tx, user_id)
  const { role } = await loadAuthor(tx, user_id)
  if (role === PSEUDONYM) return

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

/** Answers null when no flags are left. */
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

/** A name that nobody has. It gets longer until one is free. */
async function createPseudonym(db: Queryable): Promise<string> {
  for (let bytes = 3; ; bytes++) {
    const username = `deleted-user-${randomBytes(bytes).toString('hex')}`
    if (!(await store.isUsernameTaken(db, username))) return username
  }
}
