/**
 * Record status under the overlap strategy.
 *
 * A record is completed when enough different users have submitted a response. Drafts and discards do not count. Lowering
 * `min_submitted` completes records immediately; raising it reopens them.
 */
import { Int, OneOf, Shape, type Static } from './schema.ts'

export const Distribution = Shape({ strategy: OneOf(['overlap']), min_submitted: Int({ minimum: 1 }) })
export type Distribution = Static<typeof Distribution>

export const DISTRIBUTION_DEFAULT: Distribution = { strategy: 'overlap', min_submitted: 1 }

export const RECORD_STATUSES = ['pending', 'completed'] as const
export type RecordStatus = (typeof RECORD_STATUSES)[number]

export function recordStatus(submitted: number, distribution: Distribution): RecordStatus {
  return submitted >= distribution.min_submitted ? 'completed' : 'pending'
}
