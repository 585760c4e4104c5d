import { createClient } from '@postil/client'
import { expect, test, vi } from 'vitest'
import { openUploader } from './uploader.ts'

const UPLOAD = '00000000-0000-4000-8000-000000000001'
const TIME = '2026-01-01T00:00:00.000000'

/**
 * Fake server with one upload, and a client for it. `trouble` can return another response, or throw to simulate a lost
 * connection.
 */
function openServer(size: number, trouble: (call: number, method: string) => Response | null = () => null) {
  const stored: Uint8Array[] = []
  let calls = 0
  const received = () => stored.reduce((sum, piece) => sum + piece.length, 0)
  const answer = () =>
    Response.json({
      id: UPLOAD,
      name: 'a.csv',
      size,
      received: received(),
      complete: received() === size,
      expires_at: TIME,
      inserted_at: TIME,
    })
  const api = createClient({
    url: 'http://server.test',
    fetch: async (url, init) => {
      const special = trouble(calls++, init.method ?? 'GET')
      if (special) return special
      if (init.method !== 'PUT') return answer()
      const offset = Number(new URL(url).searchParams.get('offset'))
      if (offset !== received())
        return Response.json({ detail: `The upload has ${received()} bytes`, code: 'conflict' }, { status: 409 })
      stored.push(init.body as Uint8Array)
      return answer()
    },
  })
  return {
    api,
    received,
    text: () => stored.map(piece => new TextDecoder().decode(piece)).join(''),
    put: (text: string) => stored.push(new TextEncoder().encode(text)),
  }
}

const TEXT = 'row,row,row\n'.repeat(500_000)
const file = () => new File([TEXT], 'a.csv')
const upload = { id: UPLOAD, size: TEXT.length }

test('a file arrives whole, in pieces', async () => {
  const server = openServer(TEXT.length)
  const uploader = openUploader(server.api)
  await uploader.open(upload, file())
  expect(uploader.state.value).toBe('done')
  expect(server.text() === TEXT).toBe(true)
})

test('retries after a lost connection', async () => {
  const server = openServer(TEXT.length, call => {
    if (call === 2) throw new TypeError('fetch failed')
    return call === 3 ? Response.json({ detail: 'Busy' }, { status: 503 }) : null
  })
  const uploader = openUploader(server.api)
  await uploader.open(upload, file())
  expect(uploader.state.value).toBe('done')
  expect(server.text() === TEXT).toBe(true)
})

test('does not resend what another tab has sent in the meantime', async () => {
  const server = openServer(TEXT.length, call => {
    if (call === 2) server.put(TEXT.slice(server.received(), server.received() + 1000))
    return null
  })
  const uploader = openUploader(server.api)
  await uploader.open(upload, file())
  expect(uploader.state.value).toBe('done')
  expect(server.text() === TEXT).toBe(true)
})

test('can be paused; without a file it waits for one, then continues from the server’s offset', async () => {
  const server = openServer(TEXT.length)
  server.put(TEXT.slice(0, 3000))
  const uploader = openUploader(server.api)
  await uploader.open(upload, null)
  expect([uploader.state.value, uploader.received.value]).toEqual(['paused', 3000])
  uploader.resume(file())
  uploader.pause()
  expect(uploader.state.value).toBe('paused')
  uploader.resume()
  await vi.waitFor(() => expect(uploader.state.value).toBe('done'))
  expect(server.text() === TEXT).toBe(true)
})

test('an upload that has expired fails, and says why', async () => {
  const gone = () => Response.json({ detail: 'Upload does not exist', code: 'not_found' }, { status: 404 })
  const uploader = openUploader(openServer(TEXT.length, gone).api)
  await uploader.open(upload, file())
  expect(uploader.state.value).toBe('failed')
  expect(uploader.problem.value).toMatchObject({ code: 'not_found' })
})
