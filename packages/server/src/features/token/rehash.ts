import type { Static } from '@postil/domain/schema'
import type { Context, OpenContext } from '../../context.ts'
import { OnWriter, WithStatus } from '../../lib/answer.ts'
import { write } from '../../storage/write.ts'
import { findUserToChange, type UserRow, updateUserRow } from '../users/store.ts'
import { rehashPassword } from './check-credentials.ts'
import * as writes from './writes.ts'

interface TokenRequest {
  user: UserRow
  password: string
  access_token: string
  status: number
}

const toAnswer = (access_token: string) => ({ access_token, token_type: 'bearer' })

/** Returns the token. If the password hash is not in our format, the writer first stores a new one. */
export async function createTokenAnswer(ctx: OpenContext, { user, password, access_token, status }: TokenRequest) {
  const password_hash = await rehashPassword(ctx, user, password)
  if (password_hash === null) return toAnswer(access_token)
  const { id: user_id, credentials_version } = user
  return new OnWriter(writes.storeHash, { user_id, credentials_version, password_hash, access_token, status })
}

type HashUpdate = Static<typeof writes.NewHash>

/**
 * Stores a new hash of the same password, so tokens and sessions remain valid. Skipped if the password was changed since the
 * check.
 */
export async function storeHash(ctx: Context, { user_id, credentials_version, password_hash, access_token, status }: HashUpdate) {
  await write(ctx, async tx => {
    const user = await findUserToChange(tx, user_id)
    if (user?.credentials_version === credentials_version) await updateUserRow(tx, { ...user, password_hash })
  })
  return new WithStatus(status, toAnswer(access_token))
}
