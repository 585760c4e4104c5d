import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

export interface Outgoing {
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
}

/** Sends one POST request and answers the status. It uses no proxy, follows no redirect and reads nothing of the answer's body. */
export function post({ url, headers, body, timeoutMs }: Outgoing): Promise<{ status: number }> {
  const isTls = url.startsWith('https:')
  // An agent of its own: the global one may be told to use a proxy.
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    signal: AbortSignal.timeout(timeoutMs),
    agent: isTls ? new HttpsAgent() : new HttpAgent(),
  }
  return new Promise((resolve, reject) => {
    const sent = (isTls ? httpsRequest : httpRequest)(url, options, response => {
      resolve({ status: response.statusCode ?? 0 })
      response.destroy()
    })
    sent.on('error', reject)
    // A process that ends does not wait for the answer.
    sent.on('socket', socket => socket.unref())
    sent.end(body)
  })
}
