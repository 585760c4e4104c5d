/** Tables for sign-in with a provider, and for invitations. */

export interface IdentityTables {
  user_identities: UserIdentitiesTable
  used_sign_ins: UsedSignInsTable
  invitations: InvitationsTable
  invitation_workspaces: InvitationWorkspacesTable
}

/** Account at a provider, and the user it belongs to. Another issuer under the same name is a different account. */
export interface UserIdentitiesTable {
  provider: string
  issuer: string
  subject: string
  user_id: string
  inserted_at: string
  last_used_at: string
}

/** Completed sign-ins, stored until the sealed cookie expires, to prevent its reuse. */
export interface UsedSignInsTable {
  state_hash: string
  expires_at: string
}

export interface InvitationsTable {
  id: string
  token_hash: string
  /** Null if the invited user chooses the name. */
  username: string | null
  role: string
  invited_by: string
  inserted_at: string
  expires_at: string
  accepted_at: string | null
  accepted_by: string | null
  revoked_at: string | null
}

export interface InvitationWorkspacesTable {
  invitation_id: string
  workspace_id: string
}
