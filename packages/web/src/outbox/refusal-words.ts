/** Explains to the user why an answer was not saved. */
import { DomainError, type ErrorCode } from '@postil/domain/errors'
import { type MessageKey, t } from '../i18n/i18n.ts'
import { describeReason } from '../problems.ts'
import type { Refusal } from './write.ts'

/** Reason as reported by the outbox and by bulk jobs. */
type Reason = Pick<Refusal, 'code' | 'message'>

/** Messages for error codes in the context of an answer to a record. */
const WORDS: Partial<Record<ErrorCode, MessageKey>> = {
  forbidden: 'problems.answer_membership',
  not_found: 'annotate.record_deleted',
}

/** Returns the reason, to be shown after *Not saved:*. */
export function describeRefusal({ code, message }: Reason): string {
  if (!code) return message
  const words = WORDS[code]
  return words ? t(words) : describeReason(new DomainError(code, message))
}

/** Returns a full sentence, to be shown next to the answer. */
export function describeNotSaved({ kind, ...reason }: Pick<Refusal, 'kind' | 'code' | 'message'>): string {
  if (kind === 'conflict') return t('bulk.conflict')
  return isRecordDeleted(reason) ? describeRefusal(reason) : t('annotate.refused', { message: describeRefusal(reason) })
}

/** True if the record was deleted, so that retries can never succeed. */
export const isRecordDeleted = ({ code }: Pick<Refusal, 'code'>) => code === 'not_found'

/** Returns the name of the question whose answer was rejected. */
export function refusedQuestion({ at = [] }: Pick<Refusal, 'at'>): string | null {
  const [values, name] = at
  return values === 'values' && typeof name === 'string' ? name : null
}
