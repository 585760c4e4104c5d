/** The tables of signing in with a provider. */

export interface IdentityTables {
  user_identities: UserIdentitiesTable
  used_sign_ins: UsedSignInsTable
}

/** An account at a provider, and the user it belongs to. Another issuer under the same name is another account. */
export interface UserIdentitiesTable {
  provider: string
  issuer: string
  subject: string
  user_id: string
  inserted_at: string
  last_used_at: string
}

/** Sign-ins that have ended. They are kept until the sealed cookie expires, so that it cannot be used again. */
export interface UsedSignInsTable {
  state_hash: string
  expires_at: string
}
