import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type Liveness, openLiveness } from './postgres-liveness.ts'

/** `probeMs` is much longer than a busy machine takes to respond, and than a test can wait. */
const PATIENT = { waitMs: 50, probeMs: 60_000, lookMs: 10 }
const QUICK = { ...PATIENT, probeMs: 200 }

describe('the liveness of PostgreSQL', () => {
  const opened: { server: Server; sockets: Set<Socket>; liveness: Liveness }[] = []
  afterEach(async () => {
    for (const { server, sockets, liveness } of opened.splice(0)) {
      liveness.close()
      for (const socket of sockets) socket.destroy()
      if (server.listening) await once(server.close(), 'close')
    }
  })
  /** Opens a server that responds to a TLS request like PostgreSQL while `isAnswering` is true. */
  async function open(limits: typeof QUICK) {
    const network = { isAnswering: true, probes: 0 }
    const sockets = new Set<Socket>()
    const server = createServer(socket => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('data', () => {
        network.probes++
        if (network.isAnswering) socket.write('N')
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const liveness = openLiveness(`postgresql://u:p@127.0.0.1:${port}/d`, limits)
    opened.push({ server, sockets, liveness })
    return { network, liveness, server }
  }
  const isDead = (liveness: Liveness) => {
    try {
      liveness.check()
      return false
    } catch {
      return true
    }
  }

  test('is lost if nothing answers: all that wait fail, and nothing new begins until it is back', async () => {
    const { network, liveness } = await open(QUICK)
    network.isAnswering = false
    let deaths = 0
    for (let i = 0; i < 3; i++) liveness.wait(() => void deaths++)
    await expect.poll(() => deaths).toBe(3)
    expect(() => liveness.check()).toThrow('PostgreSQL does not answer')
    network.isAnswering = true
    await expect.poll(() => isDead(liveness)).toBe(false)
  })

  test('is there as long as a byte comes: a statement may take long', async () => {
    const { network, liveness } = await open(PATIENT)
    let deaths = 0
    const end = liveness.wait(() => void deaths++)
    await expect.poll(() => network.probes).toBeGreaterThan(2)
    expect([deaths, isDead(liveness)]).toEqual([0, false])
    end(true)
  })

  test('is there if something else was answered meanwhile', async () => {
    const probeMs = 2_000
    const { network, liveness } = await open({ ...PATIENT, probeMs })
    network.isAnswering = false
    let deaths = 0
    liveness.wait(() => void deaths++)
    await expect.poll(() => network.probes, { interval: 10 }).toBeGreaterThan(0)
    liveness.wait(() => {})(true)
    await setTimeout(probeMs + 20)
    expect([deaths, isDead(liveness)]).toEqual([0, false])
  })

  test('is not asked for while everything is answered in time', async () => {
    const { network, liveness } = await open({ ...PATIENT, waitMs: 60_000 })
    liveness.wait(() => {})
    await setTimeout(100)
    expect(network.probes).toBe(0)
  })

  test('is left to those who connect if the server refuses connections', async () => {
    const { liveness, server } = await open(PATIENT)
    await once(server.close(), 'close')
    let deaths = 0
    liveness.wait(() => void deaths++)
    await setTimeout(300)
    expect([deaths, isDead(liveness)]).toEqual([0, false])
  })
})
