/** Responses of the loopback hub, and its view of a request. */
import type { IncomingHttpHeaders } from 'node:http'
import type { HubRepository } from './repository.ts'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

export interface HubAccount {
  name: string
  /** Organizations to which the account may also write. */
  organizations?: string[]
  /** Role of the token. */
  role?: 'read' | 'write'
}

export interface Hub {
  /** Without a trailing slash. */
  url: string
  /** The storage of large files is a second server, to which clients must not send their token. */
  storageUrl: string
  accounts: ReadonlyMap<string, HubAccount>
  repositories: Map<string, HubRepository>
  /** Content of large files by SHA-256. */
  large: Map<string, Buffer>
  /** Parts of incomplete uploads, by `sha256/number`. */
  parts: Map<string, Buffer>
  /** Part of the storage URLs, like a signature. */
  signature: string
  treePageMax: number
  /** Size of the parts in which larger files are uploaded. */
  partBytes: number
}

export interface HubCall {
  method: string
  /** Decoded path segments, without the empty one before the first slash. */
  segments: string[]
  search: URLSearchParams
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Ends a request with an error response. */
export class Refusal extends Error {
  readonly answer: Answer
  constructor(status: number, message: string, code?: string) {
    super(message)
    const headers = { 'x-error-message': message, ...(code && { 'x-error-code': code }) }
    this.answer = toJson({ error: message }, { status, headers })
  }
}

export function toJson(value: unknown, { status = 200, headers = {} }: Partial<Answer> = {}): Answer {
  const body = Buffer.from(JSON.stringify(value))
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body }
}

export function readJson(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new Refusal(400, 'The body is not JSON')
  }
}

/** Returns the whole content, or the part in the `range` header. */
export function toRange(content: Buffer, range: string | undefined, headers: Record<string, string>): Answer {
  const all = { 'accept-ranges': 'bytes', ...headers }
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (from === '' && to === '') return { status: 200, headers: all, body: content }
  const start = from === '' ? Math.max(0, content.length - Number(to)) : Number(from)
  const end = from === '' || to === '' ? content.length : Math.min(Number(to) + 1, content.length)
  if (start >= end) {
    return { status: 416, headers: { 'content-range': `bytes */${content.length}` }, body: Buffer.alloc(0) }
  }
  const partHeaders = { ...all, 'content-range': `bytes ${start}-${end - 1}/${content.length}` }
  return { status: 206, headers: partHeaders, body: content.subarray(start, end) }
}

/** Returns the account of the caller; null without a token. */
export function accountOf(hub: Hub, call: HubCall): HubAccount | null {
  const { authorization } = call.headers
  if (authorization === undefined) return null
  const account = hub.accounts.get(authorization.replace(/^Bearer /, ''))
  if (!account) throw new Refusal(401, 'Invalid credentials in Authorization header')
  return account
}

const isMember = ({ name, organizations = [] }: HubAccount, owner = '') => name === owner || organizations.includes(owner)

/** Returns a repository that the caller may read. Others are reported as missing. */
export function readableOf(hub: Hub, call: HubCall, id: string): HubRepository {
  const account = accountOf(hub, call)
  const repository = hub.repositories.get(id)
  if (repository && (!repository.isPrivate || (account && isMember(account, id.split('/')[0])))) return repository
  throw new Refusal(account ? 404 : 401, 'Repository not found', 'RepoNotFound')
}

export function mustWrite(hub: Hub, call: HubCall, owner: string | undefined): HubAccount {
  const account = accountOf(hub, call)
  if (!account) throw new Refusal(401, 'Invalid username or password.')
  if (account.role === 'read' || !isMember(account, owner)) {
    throw new Refusal(403, `You don't have the rights to write under the namespace "${owner}"`)
  }
  return account
}

export function writableOf(hub: Hub, call: HubCall, id: string): HubRepository {
  const repository = readableOf(hub, call, id)
  mustWrite(hub, call, id.split('/')[0])
  return repository
}

/** Splits the revision from the start of these segments. `refs/…/…` may be encoded or not. */
export function takeRevision(segments: string[]): { revision: string; rest: string[] } {
  const length = segments[0] === 'refs' ? 3 : 1
  return { revision: segments.slice(0, length).join('/'), rest: segments.slice(length) }
}
