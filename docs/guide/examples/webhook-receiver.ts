/** Receives webhooks. Run it with Node 22.18 or newer: WEBHOOK_SECRET=… PORT=8000 node webhook-receiver.ts */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

const BODY_BYTES_MAX = 64 * 1024 * 1024
const CLOCK_SECONDS_MAX = 5 * 60

/** The secret is the base64-encoded key. */
const key = Buffer.from(process.env.WEBHOOK_SECRET ?? '', 'base64')
if (key.length === 0) throw new Error('Set WEBHOOK_SECRET to the secret of the webhook.')

/** Whether the sender knows the secret and sent this body within the last minutes. */
function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const id = String(headers['webhook-id'])
  const timestamp = String(headers['webhook-timestamp'])
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!(age <= CLOCK_SECONDS_MAX)) return false

  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  // While a secret is being replaced, there are two signatures, separated by a space.
  return String(headers['webhook-signature'])
    .split(' ')
    .filter(signature => signature.startsWith('v1,'))
    .map(signature => Buffer.from(signature.slice(3), 'base64'))
    .some(given => given.length === expected.length && timingSafeEqual(given, expected))
}

/** Null if it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > BODY_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function receive(request: IncomingMessage): Promise<number> {
  // Use the raw bytes: parsing and serializing the body again changes the signature.
  const body = await readBody(request)
  if (body === null) return 413
  if (!isGenuine(request.headers, body)) return 401

  const event = JSON.parse(body.toString())
  // Put long-running work into a queue: the server waits 20 seconds for the response. An event can arrive twice.
  console.log(event.type, event.timestamp, event.data.id)
  return 204
}

const server = createServer((request, response) => {
  receive(request).then(
    status => response.writeHead(status).end(),
    error => {
      console.error(error)
      response.writeHead(500).end()
    },
  )
})

server.listen(Number(process.env.PORT ?? 8000), () => {
  console.log('listening', Object(server.address()).port)
})
