import type { Id } from '@postil/domain/schema'
import type { Role } from '@postil/domain/users'
import type { Context } from '../../context.ts'
import type { UserRow } from './store.ts'

interface NewUser {
  id: Id
  first_name: string
  last_name: string | null
  username: string
  role: Role
  passwordHash: string
  apiKey: string
}

/** The row of a user who does not exist yet. */
export function newUserRow(ctx: Context, { passwordHash, apiKey, ...user }: NewUser): UserRow {
  const now = ctx.now()
  return {
    ...user,
    password_hash: passwordHash,
    credentials_version: 1,
    api_key_hash: ctx.apiKeys.hash(apiKey),
    api_key_encrypted: ctx.apiKeys.encrypt(apiKey),
    deactivated_at: null,
    inserted_at: now,
    updated_at: now,
  }
}
