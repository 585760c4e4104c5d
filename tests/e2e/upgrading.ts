/**
 * A proxy before the server that can pretend an upgrade: from then on every script and style has another name, as after a new
 * build, the build has another id, and the old names are gone.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface UpgradeProxy {
  url: string
  upgrade(): void
  /** Milliseconds that each page of the web UI waits before it is sent. */
  delayPages(milliseconds: number): void
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

  const rename = (text: string) =>
    names.reduce((all, name) => all.replaceAll(name, toNew(name)), text).replaceAll(build.id, `${build.id}${MARK}`)
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const path = incoming.url ?? '/'
    const isFile = /\.\w+$/.test(path)
    if (isUpgraded && names.includes(nameOf(path))) return void outgoing.writeHead(404).end()
    const isApi = path.startsWith('/api/')
    if (!isApi && !isFile) await pause(delayMs)
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
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** As it is, in both directions; an event stream flows. */
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
