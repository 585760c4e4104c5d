import { randomInt } from 'node:crypto'
import type { Id } from '@postil/domain/schema'
import type { Role } from '@postil/domain/users'
import type { Context } from '../../context.ts'
import type { UserRow } from './store.ts'

/** Leaves room for increments in 32 bits. */
const VERSION_MAX = 2 ** 30

interface NewUser {
  /** Null to generate an id. */
  id: Id | null
  first_name: string
  last_name: string | null
  username: string
  role: Role
  passwordHash: string
  apiKey: string
}

/** Builds the row of a new user. */
export function newUserRow(ctx: Context, { id, passwordHash, apiKey, ...user }: NewUser): UserRow {
  const now = ctx.now()
  return {
    id: id ?? ctx.newId(),
    ...user,
    password_hash: passwordHash,
    // A given id may have belonged to a deleted user, whose tokens must not be valid for the new one.
    credentials_version: id === null ? 1 : randomInt(2, VERSION_MAX),
    api_key_hash: ctx.apiKeys.hash(apiKey),
    api_key_encrypted: ctx.apiKeys.encrypt(apiKey),
    deactivated_at: null,
    inserted_at: now,
    updated_at: now,
  }
}
