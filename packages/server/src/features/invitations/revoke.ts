import { allow, conflict } from '@postil/domain/errors'
import type { Invitation } from '@postil/domain/invitations'
import { canManageInvitations } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { listOfferedWorkspaces, loadInvitationToChange, toInvitation, updateRevoked } from './store.ts'

/** Ends an invitation. Has no effect if it is revoked already. */
export async function revokeInvitation(ctx: RequestContext, invitationId: Id): Promise<Invitation> {
  allow(canManageInvitations(ctx.actor))
  return write(ctx, async tx => {
    const now = ctx.now()
    const row = await loadInvitationToChange(tx, invitationId, now)
    if (row.status === 'accepted') {
      throw conflict(`User \`${row.accepter}\` has accepted this invitation. Deactivate or delete the user instead.`)
    }
    if (row.revoked_at === null) {
      await updateRevoked(tx, invitationId, now)
      await audit(tx, ctx, { action: 'invitation.revoked', target: { id: row.id, name: row.username } })
    }
    return toInvitation({ ...row, status: 'revoked' }, await listOfferedWorkspaces(tx, [row.id]))
  })
}
