import { randomBytes } from 'node:crypto'
import { DomainError } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { Role, User } from '@postil/domain/users'
import type { OpenContext } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { findUserToChange, toUser, updateUserRow } from '../users/store.ts'
import { deleteExpiredSessions, deleteOldSessionsOf, deleteSessionByHash, insertSession } from './store.ts'

/** Limit of sessions per user, higher than any normal use. Further sign-ins end the user's oldest sessions. */
const SESSIONS_MAX = 100

/** The user as they see themselves, and the secret, which is available only now. */
export interface OpenedSession {
  user: User
  secret: string
}

interface SessionRequest {
  user_id: Id
  /** Version of the password that was checked. */
  credentials_version: number
  /** New hash of the same password, if it is to be rehashed. */
  password_hash?: string | null
  provider?: string
}

/** Opens a session. Ends the previous session of this browser and deletes expired sessions. */
export function openSession(
  ctx: OpenContext,
  { user_id: userId, credentials_version, password_hash = null, provider }: SessionRequest,
): Promise<OpenedSession> {
  const secret = randomBytes(32).toString('base64url')
  return write(ctx, async tx => {
    const user = await findUserToChange(tx, userId)
    // The password may have been changed, or the user deleted, since the check.
    if (user?.credentials_version !== credentials_version) {
      throw new DomainError('unauthenticated', 'The user was changed or deleted just now. Sign in again.')
    }

    if (password_hash !== null) await updateUserRow(tx, { ...user, password_hash })
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
