import { randomBytes } from 'node:crypto'
import { allow, invalid } from '@postil/domain/errors'
import { type CreatedInvitation, INVITATION_HOURS_DEFAULT, type InvitationCreate } from '@postil/domain/invitations'
import { listed } from '@postil/domain/message-values'
import { canManageInvitations } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Workspace } from '@postil/domain/workspaces'
import type { RequestContext } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { type Tx, write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { checkNewUsername } from '../names/check.ts'
import { deleteExpiredInvitations, insertInvitation, lockWorkspaces, toInvitation } from './store.ts'

/** How long an invitation is listed after it has ended. */
const LISTED_SECONDS = 30 * 24 * 3_600

/** Creates an invitation. Only this response contains the token; the database stores a hash of it. */
export function createInvitation(ctx: RequestContext, input: InvitationCreate): Promise<CreatedInvitation> {
  const { username: given = null, role = 'annotator', workspace_ids = [], expires_in_hours = INVITATION_HOURS_DEFAULT } = input
  const token = randomBytes(32).toString('base64url')
  return write(ctx, async tx => {
    allow(canManageInvitations(ctx.actor))
    const username = given === null ? null : await checkNewUsername(tx, given)
    const workspaces = await loadWorkspaces(tx, [...new Set(workspace_ids)])
    const now = ctx.now()
    await deleteExpiredInvitations(tx, later(now, -LISTED_SECONDS))
    const row = {
      id: ctx.newId(),
      token_hash: hashSecret(token),
      username,
      role,
      invited_by: ctx.actor.id,
      inserted_at: now,
      expires_at: later(now, expires_in_hours * 3_600),
      accepted_at: null,
      accepted_by: null,
      revoked_at: null,
    }
    const ids = workspaces.map(({ id }) => id)
    await insertInvitation(tx, row, ids)
    const details = { role, workspaces: workspaces.map(({ name }) => name), expires_at: row.expires_at }
    await audit(tx, ctx, { action: 'invitation.created', target: { id: row.id, name: username }, details })
    const shown = { ...row, status: 'open' as const, inviter: ctx.actor.username, accepter: null }
    return { ...toInvitation(shown, workspaces), token }
  })
}

async function loadWorkspaces(tx: Tx, ids: readonly Id[]): Promise<Workspace[]> {
  const workspaces = await lockWorkspaces(tx, ids)
  const known = new Set(workspaces.map(({ id }) => id))
  const unknown = ids.filter(id => !known.has(id))
  if (unknown.length > 0) throw invalid(`There is no workspace with id: ${listed(unknown)}`, ['workspace_ids'])
  return workspaces.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
