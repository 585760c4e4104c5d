/** Writes -> one request -> what became of each. */
import { ConnectionError, UnexpectedAnswerError } from '@postil/client'
import { DomainError } from '@postil/domain/errors'
import type { RecordResponse, ResponseUpsert } from '@postil/domain/responses'
import type { Api } from '../api.ts'
import type { Refusal, Write } from './write.ts'

export interface Sent {
  write: Write
  /** As the server has it now; null when it was taken away. */
  response: RecordResponse | null
  refusal: Refusal | null
}

/**
 * The same is sent again after a pause. `unheard`: there was no answer; `later`: the answer says so, or nobody is signed in;
 * `failed`: the answer is none that the contract knows, which may be the fault of what was sent.
 */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  readonly kind: 'unheard' | 'later' | 'failed'
  readonly retryAfterMs: number | null

  constructor(cause: unknown, kind: Unreachable['kind'], retryAfterMs: number | null = null) {
    super('The server could not be reached', { cause })
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

export async function sendWrites(api: Api, batch: Write[]): Promise<Sent[]> {
  const [first] = batch
  if (first?.status === null) return [await sendDeletion(api, first)]
  return sendResponses(api, batch)
}

async function sendResponses(api: Api, batch: Write[]): Promise<Sent[]> {
  const items = batch.map(toItem)
  try {
    const { items: answers } = await api.upsertMyResponsesBulk({ body: { items } })
    return batch.map((write, i) => {
      const answer = answers[i]
      const refusal = answer?.item ? null : toRefusal(answer?.error?.detail)
      return { write, response: answer?.item ?? null, refusal }
    })
  } catch (error) {
    const refusal = permanentRefusal(error)
    // One item that the server cannot even read must not hold up the others.
    if (batch.length > 1) return (await Promise.all(batch.map(write => sendResponses(api, [write])))).flat()
    return batch.map(write => ({ write, response: null, refusal }))
  }
}

const toItem = ({ recordId, status, values, id, base }: Write) =>
  ({ record_id: recordId, status, values, write_id: id, if_updated_at: base }) as ResponseUpsert

async function sendDeletion(api: Api, write: Write): Promise<Sent> {
  const done: Sent = { write, response: null, refusal: null }
  if (write.responseId === null) return done
  try {
    const query = write.base === null ? {} : { if_updated_at: write.base }
    await api.deleteResponse({ params: { response_id: write.responseId }, query })
    return done
  } catch (error) {
    // It is gone, which is what was wanted: the answer to an earlier try got lost.
    if (error instanceof DomainError && error.code === 'not_found') return done
    const refusal = permanentRefusal(error)
    return { ...done, refusal: refusal.kind === 'conflict' ? { ...refusal, current: await findMine(api, write) } : refusal }
  }
}

/** My response as it stands: a person who is to choose has to see it, and a deletion that conflicts is not answered with it. */
async function findMine(api: Api, { recordId, userId }: Write): Promise<RecordResponse | null> {
  try {
    const { responses } = await api.getRecord({ params: { record_id: recordId } })
    return responses?.find(({ user_id }) => user_id === userId) ?? null
  } catch (error) {
    // Throws for what may pass.
    permanentRefusal(error)
    return null
  }
}

/** Why the server will not take it, ever; throws Unreachable for what may pass. */
function permanentRefusal(error: unknown): Refusal {
  if (error instanceof ConnectionError) throw new Unreachable(error, 'unheard')
  if (error instanceof UnexpectedAnswerError) throw new Unreachable(error, 'failed')
  if (error instanceof DomainError) {
    // Signed out, or somebody else is signed in: the answer waits for its owner.
    if (['unauthenticated', 'wrong_user', 'unavailable'].includes(error.code)) throw new Unreachable(error, 'later')
    // The disk of the server is full: the answer is kept here until there is space again.
    if (error.code === 'storage_full') throw new Unreachable(error, 'later', 30_000)
    if (error.code === 'too_many_attempts') throw new Unreachable(error, 'later', 5_000)
    return { kind: error.code === 'conflict' ? 'conflict' : 'refused', message: error.message, current: null }
  }
  return { kind: 'refused', message: error instanceof Error ? error.message : String(error), current: null }
}

/** The detail of a failed item: a text, or an object with a code; of a conflict with the response that stands there. */
function toRefusal(detail: unknown): Refusal {
  if (typeof detail === 'object' && detail !== null) {
    const { code, message, params, response } = detail as Record<string, unknown>
    const current = (response ?? (params as Record<string, unknown> | undefined)?.response ?? null) as RecordResponse | null
    const isConflict = code === 'conflict'
    return { kind: isConflict ? 'conflict' : 'refused', message: String(message ?? JSON.stringify(detail)), current }
  }
  return { kind: 'refused', message: String(detail), current: null }
}
