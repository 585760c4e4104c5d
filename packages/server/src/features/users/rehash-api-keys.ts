import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { API_KEY_HASH_PREFIX } from '../../lib/secrets.ts'
import { listApiKeysWithOtherHash, updateApiKeyHash } from './store.ts'

const KEYS_PER_BATCH = 500

/** Rehashes API keys that an earlier release hashed differently. Returns how many; 0 on later runs. */
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
    const rows = await listApiKeysWithOtherHash(tx, { prefix: API_KEY_HASH_PREFIX, after, limit: KEYS_PER_BATCH })
    let count = 0
    for (const row of rows) {
      const key = tryDecrypt(ctx, row)
      if (key === null) continue
      await updateApiKeyHash(tx, row.id, ctx.apiKeys.hash(key))
      count++
    }
    return { count, last: rows.at(-1)?.id ?? null }
  })
}

/** Returns null and logs a warning for a key that was encrypted with another secret. Such a key is not valid in any case. */
function tryDecrypt(ctx: Context, { id, api_key_encrypted }: { id: Id; api_key_encrypted: string }): string | null {
  try {
    return ctx.apiKeys.decrypt(api_key_encrypted)
  } catch (error) {
    ctx.log.warn({ user_id: id, err: error }, 'the API key of a user cannot be decrypted with encryption.key; it opens nothing')
    return null
  }
}
