import { allow } from '@postil/domain/errors'
import type { InvitationPage, InvitationsQuery } from '@postil/domain/invitations'
import { canManageInvitations } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { listInvitationRows, toInvitations } from './store.ts'

/** Lists the invitations of all owners, newest first. */
export async function listInvitations(ctx: RequestContext, { limit = 50, ...filter }: InvitationsQuery): Promise<InvitationPage> {
  allow(canManageInvitations(ctx.actor))
  // Reads one row more than the limit to find out whether there is a next page.
  const rows = await listInvitationRows(ctx.db, ctx.now(), { ...filter, limit: limit + 1 })
  const items = await toInvitations(ctx.db, rows.slice(0, limit))
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}
