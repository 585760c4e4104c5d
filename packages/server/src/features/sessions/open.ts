import { randomBytes } from 'node:crypto'
import { DomainError } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { Role, User } from '@postil/domain/users'
import type { OpenContext } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { findUserToChange, toUser } from '../users/store.ts'
import { deleteExpiredSessions, deleteOldSessionsOf, deleteSessionByHash, insertSession } from './store.ts'

/** More browsers than anybody has; whoever signs in without end only ends their own older sessions. */
const SESSIONS_MAX = 100

/** The user as they see themselves, and the secret: it is told now and never again. */
export interface OpenedSession {
  user: User
  secret: string
}

/** Begins a session. The one this browser had before ends, and so do those that expired. */
export function openSession(
  ctx: OpenContext,
  { user_id: userId, credentials_version, provider }: { user_id: Id; credentials_version: number; provider?: string },
): Promise<OpenedSession> {
  const secret = randomBytes(32).toString('base64url')
  return write(ctx, async tx => {
    const user = await findUserToChange(tx, userId)
    // Between the check and this, the password may have been changed, or the user deleted.
    if (user?.credentials_version !== credentials_version) {
      throw new DomainError('unauthenticated', 'The user was changed or deleted just now. Sign in again.')
    }

    const now = ctx.now()
    await deleteExpiredSessions(tx, now)
    if (ctx.sender.sessionHash !== null) await deleteSessionByHash(tx, ctx.sender.sessionHash)
    await insertSession(tx, {
      id: ctx.newId(),
      user_id: userId,
      secret_hash: hashSecret(secret),
      user_agent: ctx.sender.userAgent,
      inserted_at: now,
      last_seen_at: now,
      expires_at: later(now, ctx.config.sessionSeconds),
    })
    await deleteOldSessionsOf(tx, userId, { keep: SESSIONS_MAX })
    const actor = { id: userId, username: user.username, role: user.role as Role, workspace_ids: [] }
    const { userAgent } = ctx.sender
    const details = {
      method: 'session',
      ...(provider === undefined ? {} : { provider }),
      ...(userAgent === null ? {} : { user_agent: userAgent }),
    }
    await audit(tx, { ...ctx, actor }, { action: 'user.signed_in', target: asTarget(user), details })
    return { user: toUser({ ...ctx, actor }, user), secret }
  })
}
