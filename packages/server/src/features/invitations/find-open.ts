import { conflict, DomainError } from '@postil/domain/errors'
import type { InvitationStatus } from '@postil/domain/invitations'
import type { OpenContext } from '../../context.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { findInvitationByToken, type InvitationRow } from './store.ts'

/**
 * Finds the invitation of a token. Wrong tokens count towards the rate limit for wrong passwords from the same address. Only a
 * caller with a valid token can find out that an invitation was used, was revoked or has expired.
 */
export async function loadOpenInvitation(ctx: OpenContext, token: string): Promise<InvitationRow> {
  const keys = [{ limit: 'address', value: ctx.sender.address }] as const
  const row = await ctx.attempts.run(keys, () => findInvitationByToken(ctx.db, hashSecret(token), ctx.now()))
  if (!row)
    throw new DomainError('not_found', 'There is no such invitation. Check that the link is complete, or ask for a new one.')
  checkIsOpen(row)
  return row
}

const ENDED: Record<Exclude<InvitationStatus, 'open'>, string> = {
  accepted: 'This invitation was used already. If it was you, sign in with the username and password you chose.',
  revoked: 'This invitation was revoked. Ask for a new one.',
  expired: 'This invitation has expired. Ask for a new one.',
}

export function checkIsOpen({ status }: InvitationRow): void {
  if (status !== 'open') throw conflict(ENDED[status])
}
