/** More connections than file descriptors: the database keeps its own, and open connections continue to work. */
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StartedServer, startServer } from '../../server.ts'
import { caller, fresh } from '../http.ts'
import { closeConnections, openConnection, requestText } from './raw-socket.ts'

const DESCRIPTORS = 256
const FLOOD = 400

let server: StartedServer
beforeAll(async () => {
  server = await startServer({ shell: `ulimit -n ${DESCRIPTORS}` })
})
afterAll(async () => {
  closeConnections()
  await server?.close()
})

const descriptors = () => readdirSync(`/proc/${server.pid}/fd`).length

/** Opens connections that send half of a request. */
function flood(): Socket[] {
  const { hostname, port } = new URL(server.url)
  return Array.from({ length: FLOOD }, () => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write('GET /api/v1/ver'))
    return socket.on('error', () => {})
  })
}

/** Returns a function that sends write requests one after the other over one connection. */
async function openWriter() {
  const connection = await openConnection({ server })
  let count = 0
  return async () => {
    const body = JSON.stringify({ name: fresh('workspace') })
    const headers = [`X-Argilla-Api-Key: ${server.apiKey}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
    connection.write(requestText('POST /api/v1/workspaces', headers, body))
    count++
    return (await connection.answers(count, 30_000))[count - 1]?.status
  }
}

test('a flood of connections leaves descriptors for the database, and is over when it ends', async () => {
  const quiet = descriptors()
  const write = await openWriter()
  expect(await write()).toBe(201)

  for (let round = 0; round < 3; round++) {
    const sockets = flood()
    for (let i = 0; i < 10; i++) {
      expect(await write()).toBe(201)
      // Each refused connection briefly uses a descriptor.
      expect(descriptors()).toBeLessThan(DESCRIPTORS - 32)
      await pause(50)
    }
    for (const socket of sockets) socket.destroy()
  }

  // The server opens a few descriptors on first use.
  await expect.poll(descriptors, { timeout: 30_000 }).toBeLessThanOrEqual(quiet + 16)
  const owner = caller(server.url, server.apiKey)
  await expect.poll(async () => (await owner.send('GET /me')).status).toBe(200)
  expect((await owner.send('POST /workspaces', { name: fresh('workspace') })).status).toBe(201)
  expect(server.output()).toContain('too many connections')
  expect(server.output()).not.toMatch(/EMFILE|SQLITE|"level":[56]0/)
})
