/** Sends writes in one request and returns the result of each. */
import { ConnectionError, UnexpectedAnswerError } from '@postil/client'
import { DomainError, ShapeError } from '@postil/domain/errors'
import { withoutPath } from '@postil/domain/item-error'
import type { RecordResponse, ResponsesBulk, ResponseUpsert } from '@postil/domain/responses'
import type { Api } from '../api.ts'
import type { Refusal, Write } from './write.ts'

export interface WriteResult {
  write: Write
  /** Response as stored on the server; null if it was deleted. */
  response: RecordResponse | null
  refusal: Refusal | null
}

/**
 * Temporary error: the same writes are sent again after a pause. `unheard`: no response. `later`: the server asks to retry later,
 * or no user is signed in. `failed`: the response is outside the contract, possibly because of the data that was sent.
 */
export class TemporaryError extends Error {
  override readonly name = 'TemporaryError'
  readonly kind: 'unheard' | 'later' | 'failed'
  readonly retryAfterMs: number | null

  constructor(cause: unknown, kind: TemporaryError['kind'], retryAfterMs: number | null = null) {
    super('The server could not be reached', { cause })
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

export async function sendWrites(api: Api, batch: Write[]): Promise<WriteResult[]> {
  const [first] = batch
  if (first?.status === null) return [await sendDeletion(api, first)]
  return sendResponses(api, batch)
}

async function sendResponses(api: Api, batch: Write[]): Promise<WriteResult[]> {
  const items = batch.map(toItem)
  try {
    const { items: answers } = await api.upsertMyResponsesBulk({ body: { items } })
    return batch.map((write, i) => {
      const answer = answers[i]
      const refusal = answer?.item ? null : toRefusal(answer?.error ?? UNANSWERED)
      return { write, response: answer?.item ?? null, refusal }
    })
  } catch (error) {
    const refusal = permanentRefusal(error)
    // Sent one by one, so that a malformed item does not block the others.
    if (batch.length > 1) return (await Promise.all(batch.map(write => sendResponses(api, [write])))).flat()
    return batch.map(write => ({ write, response: null, refusal }))
  }
}

const UNANSWERED = { detail: 'The server did not answer for this response' }

const toItem = ({ recordId, status, values, id, base }: Write) =>
  ({ record_id: recordId, status, values, write_id: id, if_updated_at: base }) as ResponseUpsert

async function sendDeletion(api: Api, write: Write): Promise<WriteResult> {
  const done: WriteResult = { write, response: null, refusal: null }
  if (write.responseId === null) return done
  try {
    const query = write.base === null ? {} : { if_updated_at: write.base }
    await api.deleteResponse({ params: { response_id: write.responseId }, query })
    return done
  } catch (error) {
    // Already deleted; the response to an earlier attempt was lost.
    if (error instanceof DomainError && error.code === 'not_found') return done
    const refusal = permanentRefusal(error)
    return { ...done, refusal: refusal.kind === 'conflict' ? { ...refusal, current: await findMine(api, write) } : refusal }
  }
}

/**
 * Loads the user's current response, because the error for a conflicting deletion does not include it and the user needs it to
 * choose.
 */
async function findMine(api: Api, { recordId, userId }: Write): Promise<RecordResponse | null> {
  try {
    const { responses } = await api.getRecord({ params: { record_id: recordId } })
    return responses?.find(({ user_id }) => user_id === userId) ?? null
  } catch (error) {
    // Throws for temporary errors.
    permanentRefusal(error)
    return null
  }
}

/** Returns the reason for a permanent rejection; throws TemporaryError for temporary errors. */
function permanentRefusal(error: unknown): Refusal {
  if (error instanceof ConnectionError) throw new TemporaryError(error, 'unheard')
  if (error instanceof UnexpectedAnswerError) throw new TemporaryError(error, 'failed')
  if (error instanceof DomainError) {
    // No user or another user is signed in; the answer waits for its owner.
    if (['unauthenticated', 'deactivated', 'wrong_user', 'unavailable'].includes(error.code))
      throw new TemporaryError(error, 'later')
    // The server's disk is full; the answer stays here until there is space again.
    if (error.code === 'storage_full') throw new TemporaryError(error, 'later', 30_000)
    if (error.code === 'too_many_attempts') throw new TemporaryError(error, 'later', 5_000)
    const { code, at, message } = error
    return { kind: code === 'conflict' ? 'conflict' : 'refused', message, code, at, current: null }
  }
  if (error instanceof ShapeError) return ofShape(error)
  return { kind: 'refused', message: error instanceof Error ? error.message : String(error), current: null }
}

/** The path of a validation problem is relative to the request body; that of a refusal is relative to the response. */
function ofShape({ problems }: ShapeError): Refusal {
  const loc = problems[0]?.loc ?? []
  const start = loc.indexOf('values')
  const message = problems.map(({ msg }) => msg).join(' ')
  return { kind: 'refused', message, code: 'unprocessable', at: start < 0 ? [] : loc.slice(start), current: null }
}

type ItemError = NonNullable<ResponsesBulk['items'][number]['error']>

/** Converts the error of one item. A conflict includes the response that the server has. */
function toRefusal({ detail, code, at = [] }: ItemError): Refusal {
  const place = { ...(code && { code }), at }
  if (typeof detail !== 'object' || detail === null)
    return { kind: 'refused', message: withoutPath(String(detail), at), ...place, current: null }
  const { message, response = null, ...rest } = detail as { code?: string; message?: string; response?: RecordResponse | null }
  return {
    // During an upgrade, an older server may respond, which sends the conflict code only in the detail.
    kind: (code ?? rest.code) === 'conflict' ? 'conflict' : 'refused',
    message: message ?? JSON.stringify(detail),
    ...place,
    current: response,
  }
}
