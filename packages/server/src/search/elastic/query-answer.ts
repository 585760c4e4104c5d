import { DomainError } from '@postil/domain/errors'

interface Answer {
  timed_out?: boolean
  _shards?: { failed: number }
}

/** The parsed answer to a search. Engines answer 200 also if some shards did not take part; such an answer is refused: it would lack records. */
export function toWhole<T>(answer: unknown): T {
  const { timed_out = false, _shards } = answer as Answer
  if (timed_out || (_shards !== undefined && _shards.failed > 0)) {
    throw new DomainError('unavailable', 'The search engine answered for a part of the index only. Try again later')
  }
  return answer as T
}
