import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { API_KEY_HASH_PREFIX } from '../../lib/secrets.ts'
import { listApiKeysHashedOtherwise, updateApiKeyHash } from './store.ts'

const KEYS_AT_ONCE = 500

/** Hashes API keys anew that an earlier release hashed in another way. Answers how many; none, from the second time on. */
export async function rehashApiKeys(ctx: Context): Promise<number> {
  let after: Id | null = ''
  let count = 0
  while (after !== null) {
    const piece: Piece = await rehashPiece(ctx, after)
    after = piece.last
    count += piece.count
  }
  return count
}

interface Piece {
  count: number
  /** Null when there are no more. */
  last: Id | null
}

function rehashPiece(ctx: Context, after: Id): Promise<Piece> {
  return ctx.db.transaction(async tx => {
    const rows = await listApiKeysHashedOtherwise(tx, { prefix: API_KEY_HASH_PREFIX, after, limit: KEYS_AT_ONCE })
    let count = 0
    for (const row of rows) {
      const key = decrypted(ctx, row)
      if (key === null) continue
      await updateApiKeyHash(tx, row.id, ctx.apiKeys.hash(key))
      count++
    }
    return { count, last: rows.at(-1)?.id ?? null }
  })
}

/** Null, with a warning, for a key that was encrypted with another secret: it opens nothing, before and after. */
function decrypted(ctx: Context, { id, api_key_encrypted }: { id: Id; api_key_encrypted: string }): string | null {
  try {
    return ctx.apiKeys.decrypt(api_key_encrypted)
  } catch (error) {
    ctx.log.warn({ user_id: id, err: error }, 'the API key of a user cannot be decrypted with encryption.key; it opens nothing')
    return null
  }
}
