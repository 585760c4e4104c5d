/**
 * Starts calls before their credentials are looked up.
 *
 * On PostgreSQL the lookup is a round trip. The main thread remembers the actors of recently seen credentials and sends read-only
 * calls with the expected actor. The thread that handles the call looks the credentials up together with the data, and its reply
 * is used only if they still belong to the same user with the same permissions. Otherwise the call is repeated in the usual way.
 */
import type { Actor } from '@postil/domain/permissions'
import type { Context } from '../context.ts'
import { findSession } from '../features/sessions/store.ts'
import { findActorByApiKeyHash, findActorById } from '../features/users/store.ts'
import type { Database, Queryable } from '../storage/database.ts'
import type { Call, Reply } from './call.ts'

/** Identifies an actor without the secret itself. */
export interface Credentials {
  kind: 'api-key' | 'session'
  hash: string
}

/** Reply if the actor was not confirmed. */
const UNCONFIRMED: Reply = { status: 401, contentType: null, body: null, isUnconfirmed: true }

/** Runs a call and confirms its actor, in the same database snapshot if the call reads in one. */
export async function runExpected(ctx: Context, call: Call, run: (ctx: Context) => Promise<Reply>): Promise<Reply> {
  const { actor, expected } = call
  const confirm = async (view: Queryable) =>
    actor !== null && expected !== undefined && isSame(actor, await findActor(view, expected, actor, ctx.now()))
  let confirming: Promise<boolean> | null = null
  const confirmed =
    (read: Database['snapshot']): Database['snapshot'] =>
    reads =>
      read(view => {
        const confirmation = confirm(view)
        // Awaited below. If it fails, the reads of the same snapshot fail too.
        confirmation.catch(() => undefined)
        confirming = confirmation
        return reads(view)
      })
  const { snapshot, readAtOnce } = ctx.db
  const db = { ...ctx.db, snapshot: confirmed(snapshot), readAtOnce: confirmed(readAtOnce) }
  const reply = await run({ ...ctx, db })
  return (await (confirming ?? confirm(ctx.db))) ? reply : UNCONFIRMED
}

async function findActor(db: Queryable, { kind, hash }: Credentials, { id }: Actor, now: string): Promise<Actor | null> {
  if (kind === 'api-key') return findActorByApiKeyHash(db, hash)
  // Both queries are sent together.
  const [session, actor] = await Promise.all([findSession(db, hash, now), findActorById(db, id)])
  return session?.user_id === actor?.id ? actor : null
}

function isSame(a: Actor, b: Actor | null): boolean {
  if (b === null || a.id !== b.id || a.username !== b.username || a.role !== b.role) return false
  const workspaces = new Set(a.workspace_ids)
  return workspaces.size === b.workspace_ids.length && b.workspace_ids.every(id => workspaces.has(id))
}
