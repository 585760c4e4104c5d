/** A proxy that runs code before it forwards a request, or responds like a proxy whose upstream is down. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

interface ProxyRequest {
  method: string
  path: string
}

export interface StartedProxy {
  url: string
  close(): void
}

/** If `before` returns false, the proxy responds with 502 and does not forward the request. */
export async function openProxy(target: string, before: (asked: ProxyRequest) => Promise<boolean>): Promise<StartedProxy> {
  const proxy = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/' } = request
    const body = await buffer(request)
    if (!(await before({ method, path }))) {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')
      return
    }
    const headers = Object.fromEntries(
      ['content-type', 'x-argilla-api-key'].flatMap(name =>
        request.headers[name] ? [[name, String(request.headers[name])]] : [],
      ),
    )
    const answer = await fetch(`${target}${path}`, { method, headers, ...(body.length > 0 && { body: new Uint8Array(body) }) })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, close: () => void proxy.close() }
}
