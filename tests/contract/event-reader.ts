/** Reads server-sent events like a browser. */
import type { Caller } from './http.ts'

export interface StreamEvent {
  name: string
  data: Record<string, unknown>
}

export interface EventReader {
  status: number
  headers: Headers
  events: StreamEvent[]
  /** Returns the next event with this name, or the last one already received. */
  waitFor(name: string, matches?: (data: StreamEvent['data']) => boolean): Promise<StreamEvent>
  /** Resolves when the server ends the stream. */
  ended: Promise<void>
  close(): void
}

const WAIT_MS = 180_000

export const readEvents = (url: string, { key }: Caller, datasetId: string): Promise<EventReader> =>
  readEventsWith(url, key === null ? {} : { 'x-argilla-api-key': key }, datasetId)

/** Takes the headers of the request. */
export async function readEventsWith(url: string, headers: Record<string, string>, datasetId: string): Promise<EventReader> {
  const controller = new AbortController()
  const response = await fetch(`${url}/api/v1/me/datasets/${datasetId}/events`, { headers, signal: controller.signal })
  const events: StreamEvent[] = []
  const listeners = new Set<() => void>()
  const ended = collect(response, event => {
    events.push(event)
    for (const listener of listeners) listener()
  })
  const waitFor: EventReader['waitFor'] = (name, matches = () => true) => {
    const { promise, resolve, reject } = Promise.withResolvers<StreamEvent>()
    const look = () => {
      const found = events.findLast(event => event.name === name && matches(event.data))
      if (found) resolve(found)
    }
    const timer = setTimeout(() => reject(new Error(`no event ${name} among ${JSON.stringify(events)}`)), WAIT_MS)
    listeners.add(look)
    look()
    return promise.finally(() => {
      clearTimeout(timer)
      listeners.delete(look)
    })
  }
  return { status: response.status, headers: response.headers, events, waitFor, ended, close: () => controller.abort() }
}

async function collect({ body }: Response, found: (event: StreamEvent) => void): Promise<void> {
  let rest = ''
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? []
        if (name !== undefined && data !== undefined) found({ name, data: JSON.parse(data) })
      }
    }
  } catch (error) {
    // Closed by the test.
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error
  }
}
