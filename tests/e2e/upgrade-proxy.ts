/**
 * A proxy in front of the server that can simulate an upgrade: every script and style gets another name, as after a new build,
 * the build gets another id, and the old names return 404.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface UpgradeProxy {
  url: string
  upgrade(): void
  /** Delay in milliseconds before each page of the web UI is sent. */
  delayPages(milliseconds: number): void
  /** Holds pages of the web UI until the returned function is called. */
  holdPages(): () => void
  close(): Promise<void>
}

interface Build {
  id: string
  files: string[]
}

const MARK = '__2'
const toNew = (name: string) => name.replace(/\.\w+$/, ending => MARK + ending)
const toOld = (path: string) => path.replace(`${MARK}.`, '.')
const nameOf = (file: string) => file.slice(file.lastIndexOf('/') + 1)

export async function openUpgradeProxy(target: string): Promise<UpgradeProxy> {
  const build = (await (await fetch(`${target}/build.json`)).json()) as Build
  const names = build.files.map(nameOf)
  let isUpgraded = false
  let delayMs = 0
  let held: Promise<void> | null = null

  const rename = (text: string) =>
    names.reduce((all, name) => all.replaceAll(name, toNew(name)), text).replaceAll(build.id, `${build.id}${MARK}`)
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const path = incoming.url ?? '/'
    const isFile = /\.\w+$/.test(path)
    if (isUpgraded && names.includes(nameOf(path))) return void outgoing.writeHead(404).end()
    const isApi = path.startsWith('/api/')
    if (!isApi && !isFile) {
      await pause(delayMs)
      await held
    }
    if (isApi || !isUpgraded || (isFile && !/\.(?:js|css|json)$/.test(path))) return forward(target, incoming, outgoing)
    const found = await fetch(target + toOld(path), { headers: { 'accept-encoding': 'identity' } })
    const headers = Object.fromEntries(
      [...found.headers].filter(([name]) => !/^(?:etag|link|content-length|content-encoding|connection|keep-alive)$/.test(name)),
    )
    outgoing.writeHead(found.status, headers).end(rename(await found.text()))
  }
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(error => outgoing.destroy(error))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upgrade: () => {
      isUpgraded = true
    },
    delayPages: milliseconds => {
      delayMs = milliseconds
    },
    holdPages: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return () => {
        held = null
        resolve()
      }
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Forwards unchanged in both directions, including event streams. */
function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { hostname, port } = new URL(target)
  const { method = 'GET', url = '/', headers } = incoming
  const far = request({ hostname, port, method, path: url, headers }, answer => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  far.on('error', () => outgoing.destroy())
  outgoing.on('close', () => far.destroy())
  incoming.pipe(far)
}
