import { invalid } from '@postil/domain/errors'
import type { InvitationAccept, InvitationOffer } from '@postil/domain/invitations'
import type { Role } from '@postil/domain/users'
import type { OpenContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import type { Queryable } from '../../storage/database.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { checkChosenUsername } from '../names/check.ts'
import { lockNames } from '../names/store.ts'
import { openSession } from '../sessions/open.ts'
import { newUserRow } from '../users/new-user.ts'
import { insertUser, type UserRow } from '../users/store.ts'
import { insertMemberships } from '../workspaces/store.ts'
import { checkIsOpen, loadOpenInvitation } from './find-open.ts'
import { type InvitationRow, listOfferedWorkspaces, loadInvitationToChange, lockWorkspaces, updateAccepted } from './store.ts'
import * as writes from './writes.ts'

/** Returns the offer of an invitation, but not who created it. */
export async function lookUpInvitation(ctx: OpenContext, token: string): Promise<InvitationOffer> {
  const { id, username, role, expires_at } = await loadOpenInvitation(ctx, token)
  const workspaces = await listOfferedWorkspaces(ctx.db, [id])
  return { username, role: role as Role, workspaces: workspaces.map(({ name }) => name), expires_at }
}

/**
 * Hashes the password outside the writer, so that no write has to wait, and only after the token was checked. The writer then
 * creates the user.
 */
export async function acceptInvitation(ctx: OpenContext, input: InvitationAccept): Promise<OnWriter> {
  const { token, password, ...names } = input
  const invitation = await loadOpenInvitation(ctx, token)
  await checkUsername(ctx.db, invitation, names.username)
  const password_hash = await ctx.passwords.hash(password, { source: `invitation ${invitation.id}`, isKnown: true })
  return new OnWriter(writes.acceptInvitation, { invitation_id: invitation.id, ...names, password_hash })
}

async function checkUsername(db: Queryable, { username }: InvitationRow, given: string): Promise<string> {
  if (username !== null && username.normalize('NFC') !== given.normalize('NFC')) {
    throw invalid(`This invitation is for the username \`${username}\``, ['username'])
  }
  return checkChosenUsername(db, given)
}

/** Creates the user in the workspaces that still exist and ends the invitation in one transaction, then starts a session. */
export async function acceptWithHash(ctx: OpenContext, input: writes.HashedAccept) {
  const { id, credentials_version } = await insertInvitedUser(ctx, input)
  const opened = await openSession(ctx, { user_id: id, credentials_version })
  return { ...opened, credentials: { id, credentials_version } }
}

function insertInvitedUser(ctx: OpenContext, input: writes.HashedAccept): Promise<UserRow> {
  return write(ctx, async tx => {
    // Checked again, because the invitation may have been used or revoked while the password was hashed.
    const invitation = await loadInvitationToChange(tx, input.invitation_id, ctx.now())
    checkIsOpen(invitation)
    await lockNames(tx)
    const username = await checkUsername(tx, invitation, input.username)

    const row = newUserRow(ctx, {
      id: null,
      first_name: input.first_name,
      last_name: input.last_name ?? null,
      username,
      role: invitation.role as Role,
      passwordHash: input.password_hash,
      apiKey: ctx.apiKeys.create(),
    })
    await insertUser(tx, row)
    const offered = await listOfferedWorkspaces(tx, [invitation.id])
    const ids = offered.map(({ id }) => id)
    const workspaces = await lockWorkspaces(tx, ids)
    const inserted_at = ctx.now()
    await insertMemberships(
      tx,
      workspaces.map(({ id }) => ({ workspace_id: id, user_id: row.id, inserted_at })),
    )
    await updateAccepted(tx, { id: invitation.id, userId: row.id, now: inserted_at })
    const details = { role: row.role, workspaces: workspaces.map(({ name }) => name), invitation_id: invitation.id }
    await audit(tx, ctx, { action: 'user.created', target: asTarget(row), details })
    return row
  })
}
