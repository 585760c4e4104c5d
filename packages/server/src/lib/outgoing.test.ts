/** Requests to real local servers, including hostile ones. */
import { execFile } from 'node:child_process'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { answering, closers, closeTargets, listen, resolver, send } from '../testing/outgoing-targets.ts'

afterEach(closeTargets)

test('sends method, path, headers and body, and answers status and excerpt', async () => {
  const seen: { method: string | undefined; url: string | undefined; headers: http.IncomingHttpHeaders; body: string }[] = []
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    seen.push({ method: request.method, url: request.url, headers: request.headers, body })
    response.writeHead(202).end('accepted')
  })
  closers.push(() => server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const { resolve, names } = resolver(['127.0.0.1'])
  const answer = await send(
    port,
    {
      url: `http://hooks.example:${port}/in?a=b#c`,
      headers: { 'content-type': 'application/json', 'x-a': '1' },
      body: '{"ä":1}',
    },
    { resolve },
  )

  expect(answer).toEqual({ status: 202, excerpt: 'accepted' })
  expect(names).toEqual(['hooks.example'])
  expect(seen).toEqual([
    {
      method: 'POST',
      url: '/in?a=b',
      body: '{"ä":1}',
      headers: {
        'content-type': 'application/json',
        'x-a': '1',
        'accept-encoding': 'identity',
        'content-length': '8',
        connection: 'close',
        host: `hooks.example:${port}`,
      },
    },
  ])
})

describe('resolved addresses', () => {
  test.each([
    { about: 'loopback', addresses: ['127.0.0.1'] },
    { about: 'public and private', addresses: ['93.184.215.14', '127.0.0.1'] },
    { about: 'private and public', addresses: ['127.0.0.1', '93.184.215.14'] },
    { about: 'IPv6 loopback', addresses: ['::1'] },
    { about: 'mapped', addresses: ['::ffff:127.0.0.1'] },
    { about: 'not an address', addresses: ['127.0.0.1.example'] },
  ])('a name that resolves to $about is not called', async ({ addresses }) => {
    const target = await listen(answering('HTTP/1.1 200 OK\r\n\r\n'))
    const url = `http://hooks.example:${target.port}/`
    const sent = send(target.port, { url }, { allowPrivate: false, resolve: resolver(addresses).resolve })
    await expect(sent).rejects.toThrow('`hooks.example` must not be called: it does not resolve to public addresses only.')
    expect(target.connections).toBe(0)
  })

  test('a metadata address is refused even if private addresses are allowed', async () => {
    const sent = send(80, { url: 'http://hooks.example/' }, { resolve: resolver(['169.254.169.254']).resolve })
    await expect(sent).rejects.toThrow('must not be called')
  })

  test('a name without addresses is not called', async () => {
    const sent = send(80, { url: 'http://hooks.example/' }, { resolve: resolver([]).resolve })
    await expect(sent).rejects.toThrow('The host name `hooks.example` has no address.')
  })

  test('a name that resolves differently later is resolved once and called where it was checked', async () => {
    const checked = await listen(answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    const later = await listen(answering('HTTP/1.1 500 No\r\n\r\n'), '127.0.0.2', checked.port)
    const { resolve, names } = resolver(['127.0.0.1'], ['127.0.0.2'])
    const answer = await send(checked.port, { url: `http://rebind.example:${checked.port}/` }, { resolve })
    expect(answer.status).toBe(200)
    expect(names).toHaveLength(1)
    expect([checked.connections, later.connections]).toEqual([1, 0])
  })

  test('the next address is tried if one refuses the connection', async () => {
    const target = await listen(answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    const { resolve } = resolver(['127.0.0.2', '127.0.0.1'])
    expect((await send(target.port, { url: `http://hooks.example:${target.port}/` }, { resolve })).status).toBe(200)
    expect(target.connections).toBe(1)
  })

  test('each call resolves again: an address that became private is refused', async () => {
    const target = await listen(answering('HTTP/1.1 200 OK\r\n\r\n'))
    const url = `http://rebind.example:${target.port}/`
    // No server listens at the public address: the signal ends the first call after the name is resolved.
    const stop = new AbortController()
    const { resolve } = resolver(['93.184.215.14'], ['127.0.0.1'])
    const resolveAndStop = (name: string) => resolve(name).finally(() => stop.abort())
    const options = { allowPrivate: false, resolve: resolveAndStop }
    await expect(send(target.port, { url }, { ...options, signal: stop.signal })).rejects.toThrow('canceled')
    await expect(send(target.port, { url }, options)).rejects.toThrow('must not be called')
    expect(target.connections).toBe(0)
  })

  test('a name that the system does not know is an error', async () => {
    await expect(send(80, { url: 'http://nothing.invalid/' })).rejects.toThrow(/host name/)
  })

  test('the time limit includes a resolver that never answers', async () => {
    const sent = send(80, { url: 'http://hooks.example/', timeoutMs: 50 }, { resolve: () => new Promise(() => {}) })
    await expect(sent).rejects.toThrow('No answer within 0.05 seconds.')
  })
})

describe('answers', () => {
  test.each([301, 302, 303, 307, 308])('a redirect (%i) is an answer, and is not followed', async status => {
    const elsewhere = await listen(answering('HTTP/1.1 200 OK\r\n\r\n'))
    const location = `location: http://127.0.0.1:${elsewhere.port}/\r\n`
    const target = await listen(answering(`HTTP/1.1 ${status} Moved\r\n${location}content-length: 5\r\n\r\nthere`))
    expect(await send(target.port)).toEqual({ status, excerpt: 'there' })
    expect(elsewhere.connections).toBe(0)
  })

  test.each([
    { about: 'no body', text: 'HTTP/1.1 204 No Content\r\n\r\n', answer: { status: 204, excerpt: '' } },
    { about: 'text', text: 'HTTP/1.1 500 Oops\r\n\r\nbroken', answer: { status: 500, excerpt: 'broken' } },
    {
      about: 'cut in the body',
      text: 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\npart',
      answer: { status: 200, excerpt: 'part' },
    },
    {
      about: 'bad chunk',
      text: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n',
      answer: { status: 200, excerpt: expect.any(String) },
    },
    {
      about: 'control characters',
      text: 'HTTP/1.1 400 No\r\n\r\na\0b\x1b[31mc\r\nd\te\u202Ef',
      answer: { status: 400, excerpt: 'ab[31mc\nd\tef' },
    },
    {
      about: 'not UTF-8',
      text: Buffer.from('HTTP/1.1 400 No\r\n\r\n\xff', 'latin1'),
      answer: { status: 400, excerpt: '\uFFFD' },
    },
    {
      about: 'another protocol',
      text: 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nhello',
      answer: { status: 101, excerpt: '' },
    },
    {
      about: 'early hints first',
      text: 'HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\n\r\nyes',
      answer: { status: 200, excerpt: 'yes' },
    },
  ])('$about', async ({ text, answer }) => {
    const target = await listen(answering(text as string))
    expect(await send(target.port)).toEqual(answer)
  })

  test('a character that the limit cuts in two is left out', async () => {
    const target = await listen(answering('HTTP/1.1 200 OK\r\n\r\nabä'))
    expect(await send(target.port, { excerptBytes: 3 })).toEqual({ status: 200, excerpt: 'ab' })
  })

  test('an endless body is read up to the limit, then the connection is closed', async () => {
    const target = await listen(socket => {
      const pour = () => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      }
      socket.once('data', () => void socket.write('HTTP/1.1 200 OK\r\n\r\n', pour))
      socket.on('drain', pour)
    })
    expect(await send(target.port)).toEqual({ status: 200, excerpt: 'x'.repeat(100) })
    await expect.poll(() => target.sockets.size).toBe(0)
  })

  test('a body that drips ends with the time limit; the status counts', async () => {
    const target = await listen(socket => {
      socket.once('data', () => void socket.write('HTTP/1.1 200 OK\r\n\r\n.'))
      const timer = setInterval(() => socket.write('.'), 10)
      socket.on('close', () => clearInterval(timer))
    })
    const answer = await send(target.port, { timeoutMs: 500, excerptBytes: 1_000_000 })
    expect(answer).toEqual({ status: 200, excerpt: expect.stringMatching(/^\.+$/) })
    await expect.poll(() => target.sockets.size).toBe(0)
  })
})

test('a proxy of the environment is not used', async () => {
  const proxy = await listen(answering('HTTP/1.1 502 Proxy\r\n\r\n'))
  const target = await listen(answering('HTTP/1.1 200 OK\r\n\r\n'))
  const address = `http://127.0.0.1:${proxy.port}`
  const script = `
    import { post } from ${JSON.stringify(new URL('outgoing.ts', import.meta.url).href)}
    const request = { url: 'http://127.0.0.1:${target.port}/', headers: {}, body: '', timeoutMs: 60000, excerptBytes: 0 }
    console.log((await post(request, { allowPrivate: true })).status)`
  const env = { PATH: process.env.PATH, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address, ALL_PROXY: address }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
  expect(stdout).toBe('200\n')
  expect([proxy.connections, target.connections]).toEqual([0, 1])
})
