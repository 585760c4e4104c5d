import { type AddressInfo, connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { openTestApp } from '../testing/app.ts'
import { openTestContext } from '../testing/context.ts'
import { type ConnectionLimits, connectionsMaxOf } from './connections.ts'

const ctx = await openTestContext()
const apps: FastifyInstance[] = []
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(async () => {
  for (const app of apps) await app.close()
  await ctx.close()
})

async function listen(connections: Partial<ConnectionLimits>): Promise<FastifyInstance> {
  const app = openTestApp(ctx, '/nowhere', { connections })
  apps.push(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

interface Client {
  received: string
  hasEnded: boolean
}

/** Opens clients that send this text and then nothing, and never close their side. */
async function openClients(app: FastifyInstance, count: number, text: string, localAddress = '127.0.0.1'): Promise<Client[]> {
  const { port } = app.server.address() as AddressInfo
  const open = () => {
    const client: Client = { received: '', hasEnded: false }
    const { promise, resolve } = Promise.withResolvers<Client>()
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true }, () => {
      socket.write(text)
      resolve(client)
    })
    socket.setEncoding('latin1').on('data', (received: string) => {
      client.received += received
    })
    const end = () => {
      client.hasEnded = true
      resolve(client)
    }
    socket.on('end', end).on('error', end).on('close', end)
    sockets.push(socket)
    return promise
  }
  return Promise.all(Array.from({ length: count }, open))
}

const connectionsOf = (app: FastifyInstance) =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

const FAST = { headersMs: 300, requestMs: 600, keepAliveMs: 300, checkEveryMs: 100 }
const POST = 'POST /api/v1/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n'

describe('connections that are not used in time lose their descriptor, though the client never closes its side', () => {
  test.each([
    { what: 'nothing', text: '' },
    { what: 'half of a request line', text: 'GET /api' },
    { what: 'half of the headers', text: 'GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\nX-A' },
    { what: 'half of a body', text: `${POST}Content-Length: 100\r\n\r\nusername=` },
    { what: 'half of a chunked body', text: `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\nuser` },
  ])('$what: 408, as JSON', async ({ text }) => {
    const app = await listen(FAST)
    const clients = await openClients(app, 300, text)
    await expect.poll(() => connectionsOf(app)).toBe(0)
    await expect.poll(() => clients.every(({ hasEnded }) => hasEnded)).toBe(true)
    for (const { received } of clients) {
      expect(received).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
      expect(received).toMatch(/\r\ncontent-type: application\/json\r\n(.*\r\n)*content-length: \d+\r\n\r\n\{"detail":"[^"]+"\}$/)
    }
  })

  test.each([
    { what: 'garbage', text: 'nonsense\r\n\r\n', status: '400 Bad Request' },
    {
      what: 'large headers',
      text: `GET / HTTP/1.1\r\nX-A: ${'a'.repeat(20_000)}`,
      status: '431 Request Header Fields Too Large',
    },
    { what: 'a tunnel', text: 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n', status: '404 Not Found' },
  ])('$what: $status', async ({ text, status }) => {
    const app = await listen({})
    const clients = await openClients(app, 100, text)
    await expect.poll(() => connectionsOf(app)).toBe(0)
    for (const { received } of clients) {
      expect(received.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`)
      expect(JSON.parse(received.split('\r\n\r\n')[1] ?? '')).toEqual({ detail: expect.stringMatching(/./) })
    }
  })

  test('a CONNECT request that is reset does not stop the server', async () => {
    const app = await listen({})
    await openClients(app, 50, 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n')
    for (const socket of sockets) socket.resetAndDestroy()
    await expect.poll(() => connectionsOf(app)).toBe(0)
    expect((await app.inject('/api/v1/version')).statusCode).toBe(200)
  })

  test('between two requests: without an answer', async () => {
    const app = await listen({ keepAliveMs: 300, checkEveryMs: 100 })
    const clients = await openClients(app, 100, 'GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await expect.poll(() => clients.filter(({ received }) => received.startsWith('HTTP/1.1 200')).length).toBe(100)
    await expect.poll(() => connectionsOf(app)).toBe(0)
    expect(clients.filter(({ received }) => received.includes('408'))).toEqual([])
  })

  test('a response that the client does not read', async () => {
    const app = await listen({ idleMs: 3_000 })
    const [client] = await openClients(app, 1, '')
    const socket = sockets.at(-1)
    socket?.pause()
    socket?.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(300))
    await expect.poll(() => connectionsOf(app)).toBe(0)
    expect(client?.hasEnded).toBe(false)
  })
})

describe('the number of connections', () => {
  const limits = (soft: string) =>
    `Limit Soft Limit Hard Limit Units\nMax processes 1 1 processes\nMax open files            ${soft}   4096   files\n`

  test.each([
    { soft: '1024', threads: 3, most: 896 },
    { soft: '256', threads: 3, most: 128 },
    { soft: '1024', threads: 66, most: 16 },
    { soft: '2048', threads: 66, most: 992 },
    { soft: '64', threads: 3, most: 16 },
    { soft: '1048576', threads: 3, most: 10_000 },
    { soft: 'unlimited', threads: 3, most: 10_000 },
  ])('with $soft descriptors and $threads threads: $most', ({ soft, threads, most }) => {
    expect(connectionsMaxOf(limits(soft), threads)).toBe(most)
  })

  test('where the limit is not known: 10,000', () => {
    expect(connectionsMaxOf(null, 3)).toBe(10_000)
  })

  test('more than allowed are closed at once, and those that are open go on', async () => {
    const app = await listen({ connectionsMax: 20, ofAddressMax: 20 })
    const [first] = await openClients(app, 20, '')
    const late = await openClients(app, 30, '')
    await expect.poll(() => late.filter(({ hasEnded }) => hasEnded).length).toBe(30)
    sockets[0]?.write('GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await expect.poll(() => first?.received.split('\r\n')[0]).toBe('HTTP/1.1 200 OK')
    expect(await connectionsOf(app)).toBe(20)
  })

  test('of one address leave a quarter for the others, and closed ones do not count', async () => {
    const app = await listen({ connectionsMax: 20 })
    const flood = await openClients(app, 40, '', '127.0.0.2')
    await expect.poll(() => flood.filter(({ hasEnded }) => hasEnded).length).toBe(25)
    const [other] = await openClients(app, 1, 'GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await expect.poll(() => other?.received.split('\r\n')[0]).toBe('HTTP/1.1 200 OK')
    for (const socket of sockets.splice(0, 40)) socket.destroy()
    await expect.poll(() => connectionsOf(app)).toBe(1)
    const [again] = await openClients(app, 1, 'GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n', '127.0.0.2')
    await expect.poll(() => again?.received.split('\r\n')[0]).toBe('HTTP/1.1 200 OK')
  })
})
