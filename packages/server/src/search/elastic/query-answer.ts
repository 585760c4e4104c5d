import { DomainError } from '@postil/domain/errors'

interface Answer {
  timed_out?: boolean
  _shards?: { failed: number }
}

/**
 * Returns the parsed search response. Engines respond with 200 even if some shards failed; such a response is rejected, because
 * records would be missing.
 */
export function toCompleteAnswer<T>(answer: unknown): T {
  const { timed_out = false, _shards } = answer as Answer
  if (timed_out || (_shards !== undefined && _shards.failed > 0)) {
    throw new DomainError('unavailable', 'The search engine answered for a part of the index only. Try again later')
  }
  return answer as T
}
