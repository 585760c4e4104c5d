/** Requests without a response: the caller gets the reason, and no connection stays open. */
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { answering, closeTargets, listen, send } from '../testing/outgoing-targets.ts'
import { OutgoingError } from './outgoing.ts'

afterEach(closeTargets)

describe('no answer', () => {
  test.each<{ about: string; talk: (socket: Socket) => void; message: string }>([
    { about: 'never answers', talk: socket => void socket.resume(), message: 'No answer within 0.3 seconds.' },
    {
      about: 'stops in the headers',
      talk: answering('HTTP/1.1 200 OK\r\nx-a:', 'wait'),
      message: 'No answer within 0.3 seconds.',
    },
    {
      about: 'drips headers',
      talk: socket => {
        socket.once('data', () => void socket.write('HTTP/1.1 200 OK\r\n'))
        const timer = setInterval(() => socket.write('a: b\r\n'), 20)
        socket.on('close', () => clearInterval(timer))
      },
      message: 'No answer within 0.3 seconds.',
    },
    {
      about: 'sends interim answers without end',
      talk: socket => {
        const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20)
        socket.on('close', () => clearInterval(timer))
      },
      message: 'No answer within 0.3 seconds.',
    },
  ])('$about', async ({ talk, message }) => {
    const target = await listen(talk)
    await expect(send(target.port, { timeoutMs: 300 })).rejects.toThrow(new OutgoingError(message))
    await expect.poll(() => target.sockets.size).toBe(0)
  })

  test.each<{ about: string; talk: (socket: Socket) => void; message: string }>([
    { about: 'closes at once', talk: socket => void socket.destroy(), message: 'closed the connection before it answered' },
    {
      about: 'closes after the request',
      talk: socket => void socket.once('data', () => socket.end()),
      message: 'closed the connection',
    },
    { about: 'closes in the headers', talk: answering('HTTP/1.1 200 OK\r\nx-a:'), message: 'closed the connection' },
    {
      about: 'resets',
      talk: socket => void socket.once('data', () => socket.resetAndDestroy()),
      message: 'closed the connection',
    },
    {
      about: 'huge headers',
      talk: answering(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}\r\n\r\n`),
      message: 'The headers of the answer are too large.',
    },
    { about: 'many headers', talk: answering(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}\r\n`), message: 'too large' },
    { about: 'not HTTP', talk: answering('SSH-2.0-OpenSSH_9.6\r\n'), message: 'The answer is not valid HTTP.' },
  ])('$about', async ({ talk, message }) => {
    const target = await listen(talk)
    await expect(send(target.port)).rejects.toThrow(message)
  })

  test('nothing listens', async () => {
    const target = await listen(() => {})
    closeTargets()
    await expect(send(target.port)).rejects.toThrow('The server refused the connection.')
  })

  test('the caller cancels', async () => {
    const stop = new AbortController()
    const target = await listen(socket => void socket.once('data', () => stop.abort()))
    await expect(send(target.port, {}, { signal: stop.signal })).rejects.toThrow('The request was canceled.')
    await expect.poll(() => target.sockets.size).toBe(0)
  })

  test('the caller has canceled before', async () => {
    const target = await listen(() => {})
    await expect(send(target.port, {}, { signal: AbortSignal.abort() })).rejects.toThrow('The request was canceled.')
    expect(target.connections).toBe(0)
  })

  test('headers that are not valid are an error, without their content', async () => {
    const target = await listen(() => {})
    const sent = send(target.port, { headers: { 'x-a': 'secret\r\nhost: other' } })
    await expect(sent).rejects.toThrow(new OutgoingError('The request failed (ERR_INVALID_CHAR).'))
    expect(target.connections).toBe(0)
  })
})
