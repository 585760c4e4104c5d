/** Requests to providers, with a timeout, without redirects, and with a size limit for responses. */

export class ProviderUnreachable extends Error {}

export interface FetchLimits {
  timeoutMs: number
  bytesMax: number
}

/** Documents of providers have a few kilobytes. */
export const FETCH_LIMITS: FetchLimits = { timeoutMs: 10_000, bytesMax: 262_144 }

export type LimitedFetch = (url: string, init: object) => Promise<Response>

export function createLimitedFetch({ timeoutMs, bytesMax }: FetchLimits): LimitedFetch {
  return async (url, init) => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal })
      const body = await readLimited(response, bytesMax)
      const isEmpty = [101, 204, 205, 304].includes(response.status)
      return new Response(isEmpty ? null : body, { status: response.status, headers: response.headers })
    } catch (error) {
      if (error instanceof ProviderUnreachable) throw error
      throw new ProviderUnreachable(signal.aborted ? `no answer within ${timeoutMs / 1000} seconds` : reasonOf(error))
    }
  }
}

async function readLimited({ body }: Response, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    // Leaving the loop closes the connection.
    if (length > bytesMax) throw new ProviderUnreachable(`the answer has more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** Returns only the code, such as ECONNREFUSED, because messages may contain URLs with parameters. */
function reasonOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  return String(cause?.code ?? code ?? 'the connection failed')
}
