/**
 * A loopback hub: the part of the Hugging Face Hub protocol that `@huggingface/hub` and the Python packages `huggingface_hub` and
 * `datasets` use to read and write dataset repositories.
 *
 * Large files are in a storage with a separate origin, which rejects requests with a token.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, type Hub, type HubAccount, type HubCall, Refusal } from './answers.ts'
import { commitTo, createRepository, findCommit, type HubCommit, type HubRepository, listCommits, toFile } from './repository.ts'
import { answerHub } from './routes.ts'
import { answerStorage, isLarge } from './uploads.ts'

export { PARQUET_BRANCH } from './files.ts'

export interface HubRequest {
  origin: 'hub' | 'storage'
  method: string
  /** With the query. */
  path: string
  /** Token of the `authorization` header. */
  token: string | null
  bodyBytes: number
  /** Null until there is a response, and if the connection was cut. */
  status: number | null
}

/** A fault for matching requests. */
export interface HubFault {
  method?: string
  /** Matched against path and query. */
  path: RegExp
  /** Number of requests; 1 by default. */
  times?: number
  /** Responds with this status without handling the request. */
  status?: number
  headers?: Record<string, string>
  /** Sent with `status`, instead of an error as the hub sends it. */
  body?: string
  /**
   * Handles the request, sends this many bytes of the body and cuts the connection. With -1 it sends nothing, not even the
   * headers.
   */
  cutAfterBytes?: number
  /** Handles the request only after this promise. */
  until?: Promise<unknown>
}

interface HubOptions {
  /** Accounts by token. Defaults to `hf_test` of an account that may write to `team`. */
  accounts?: Record<string, HubAccount>
  treePageMax?: number
  partBytes?: number
}

export type LoopbackHub = Awaited<ReturnType<typeof openHub>>

const DEFAULT_ACCOUNTS = { hf_test: { name: 'ann', organizations: ['team'] } }

export async function openHub({ accounts = DEFAULT_ACCOUNTS, treePageMax = 1000, partBytes = 5_000_000 }: HubOptions = {}) {
  const hubServer = createServer((request, response) => void serve(state, 'hub', request, response))
  const storageServer = createServer((request, response) => void serve(state, 'storage', request, response))
  const hub: Hub = {
    url: await listen(hubServer),
    storageUrl: await listen(storageServer),
    accounts: new Map(Object.entries(accounts)),
    repositories: new Map(),
    large: new Map(),
    parts: new Map(),
    signature: randomUUID(),
    treePageMax,
    partBytes,
  }

  const state: State = { hub, requests: [], faults: [] }
  return {
    ...createHandle(state),
    async close(): Promise<void> {
      for (const server of [hubServer, storageServer]) {
        server.closeAllConnections()
        await once(server.close(), 'close')
      }
    },
  }
}

interface State {
  hub: Hub
  requests: HubRequest[]
  faults: (HubFault & { times: number })[]
}

/** Returns the interface of the hub for tests. */
function createHandle({ hub, requests, faults }: State) {
  const repositoryOf = (id: string): HubRepository => {
    const repository = hub.repositories.get(id)
    if (!repository)
      throw new Error(`The loopback hub has no repository ${id}: it has ${[...hub.repositories.keys()].join(', ')}`)
    return repository
  }

  return {
    url: hub.url,
    storageUrl: hub.storageUrl,
    /** Every request that arrived completely, in order. */
    requests,
    /** Adds a fault for later requests. */
    fail: (fault: HubFault) => void faults.push({ times: 1, ...fault }),
    hasRepository: (id: string) => hub.repositories.has(id),
    isPrivate: (id: string) => repositoryOf(id).isPrivate,
    /** Commits files, and creates the repository if necessary. */
    put(id: string, files: Record<string, string | Buffer>, { branch = 'main', isPrivate = false } = {}): HubCommit {
      const repository = hub.repositories.get(id) ?? createRepository(id, isPrivate)
      hub.repositories.set(id, repository)
      const changes = Object.entries(files).map(([path, given]) => {
        const content = Buffer.from(given)
        return [path, toFile(content, isLarge(path, content.length, content))] as const
      })
      return commitTo(repository, branch, 'Put by a test', new Map(changes))
    },
    /** Returns contents by path. */
    files(id: string, revision = 'main'): Record<string, Buffer> {
      const commit = findCommit(repositoryOf(id), revision)
      return Object.fromEntries(Array.from(commit?.files ?? [], ([path, { content }]) => [path, content]))
    },
    /** Removes everything that tests have put there or asked for. */
    forget(): void {
      for (const part of [hub.repositories, hub.large, hub.parts]) part.clear()
      requests.length = 0
      faults.length = 0
    },
    /** Newest first. */
    commits(id: string, revision = 'main'): HubCommit[] {
      const last = findCommit(repositoryOf(id), revision)
      return last ? listCommits(repositoryOf(id), last) : []
    },
  }
}

async function serve(
  { hub, requests, faults }: State,
  origin: HubRequest['origin'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url: path = '' } = request
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? null
  const record: HubRequest = { origin, method, path, token, bodyBytes: 0, status: null }
  try {
    const call = await toCall(request)
    record.bodyBytes = call.body.length
    requests.push(record)
    const fault = takeFault(faults, method, path)
    await fault?.until
    if (fault?.status === undefined) {
      const answer = answerCall(origin, hub, call)
      if (fault?.cutAfterBytes !== undefined) return cut(response, answer, fault.cutAfterBytes)
      record.status = answer.status
      send(response, answer, method)
    } else {
      record.status = fault.status
      const { answer } = new Refusal(fault.status, 'The loopback hub was told to fail')
      const body = fault.body === undefined ? answer.body : Buffer.from(fault.body)
      send(response, { ...answer, body, headers: { ...answer.headers, ...fault.headers } }, method)
    }
  } catch (error) {
    // The client aborted the request, or this server failed: the client sees a cut connection.
    response.destroy(error as Error)
  }
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function toCall(request: IncomingMessage): Promise<HubCall> {
  const url = new URL(request.url ?? '/', 'http://hub')
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return {
    method: request.method ?? '',
    // Clients may encode the slashes of a revision or not: both become segments.
    segments: decodeURIComponent(url.pathname).split('/').slice(1),
    search: url.searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks),
  }
}

function takeFault(faults: (HubFault & { times: number })[], method: string, path: string): HubFault | undefined {
  const fault = faults.find(each => each.path.test(path) && (each.method ?? method) === method && each.times > 0)
  if (fault) fault.times--
  return fault
}

function answerCall(origin: HubRequest['origin'], hub: Hub, call: HubCall): Answer {
  try {
    return origin === 'hub' ? answerHub(hub, call) : answerStorage(hub, call)
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

const headOf = ({ headers, body }: Answer) => ({ ...headers, 'content-length': String(body.length) })

function send(response: ServerResponse, answer: Answer, method: string): void {
  response.writeHead(answer.status, headOf(answer)).end(method === 'HEAD' ? undefined : answer.body)
}

function cut(response: ServerResponse, answer: Answer, bytes: number): void {
  if (bytes < 0) return void response.destroy()
  response.writeHead(answer.status, headOf(answer))
  response.flushHeaders()
  response.write(answer.body.subarray(0, bytes), () => response.destroy())
}
