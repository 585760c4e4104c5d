import type { RecordResponse, ResponseUpsert } from '@postil/domain/responses'
import type { Json } from '@postil/domain/schema'
import { type ChunkOptions, type Many, sendInChunks } from './chunks.ts'
import type { Client } from './client.ts'

const RESPONSES_BULK_MAX = 100

/** A response that was not stored. */
export interface ResponseFailure {
  /** Position in the given responses. */
  index: number
  response: ResponseUpsert
  /** Reason of the failure; this server sends a string. */
  detail: Json
}

export interface ResponsesSubmitted {
  responses: RecordResponse[]
  failures: ResponseFailure[]
}

/** Stores the caller's own responses, of any status. Each succeeds or fails independently, so check `failures`. */
export async function submitResponses(
  client: Client,
  responses: Many<ResponseUpsert>,
  options: ChunkOptions = {},
): Promise<ResponsesSubmitted> {
  const submitted: ResponsesSubmitted = { responses: [], failures: [] }
  const limits = { batchSize: RESPONSES_BULK_MAX, batchSizeMax: RESPONSES_BULK_MAX, ...options }
  await sendInChunks(responses, limits, async (items, start) => {
    const answer = await client.upsertMyResponsesBulk({ body: { items } })
    for (const [index, response] of items.entries()) {
      const { item, error } = answer.items[index] ?? {
        item: null,
        error: { detail: 'The server did not answer for this response' },
      }
      if (item) submitted.responses.push(item)
      else submitted.failures.push({ index: start + index, response, detail: error?.detail ?? null })
    }
  })
  return submitted
}
