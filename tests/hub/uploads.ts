/** Writing: uploads of large files to the storage, and commits. */
import {
  type Answer,
  type Hub,
  type HubCall,
  Refusal,
  readableOf,
  readJson,
  takeRevision,
  toJson,
  toRange,
  writableOf,
} from './answers.ts'
import { commitOf } from './files.ts'
import { commitTo, findCommit, type HubFile, listTree, sha256Of, toFile } from './repository.ts'

const SAMPLE_BYTES = 512
const SMALL_FILE_BYTES_MAX = 10_000_000

interface PreuploadFile {
  path: string
  size: number
  /** The first bytes, in base64. */
  sample: string
}

/** `POST /api/datasets/{id}/preupload/{revision}`: which files go to the storage and which are part of the commit. */
export function answerPreupload(hub: Hub, call: HubCall, id: string, segments: string[]): Answer {
  const repository = writableOf(hub, call, id)
  const commit = commitOf(repository, takeRevision(segments).revision)
  const files = readJson(call.body).files as PreuploadFile[]
  return toJson({
    files: files.map(({ path, size, sample }) => ({
      path,
      uploadMode: isLarge(path, size, Buffer.from(sample, 'base64')) ? 'lfs' : 'regular',
      shouldIgnore: false,
      oid: commit.files.get(path)?.oid ?? null,
    })),
  })
}

export const isLarge = (path: string, size: number, content: Buffer) =>
  path.endsWith('.parquet') || size > SMALL_FILE_BYTES_MAX || content.subarray(0, SAMPLE_BYTES).includes(0)

interface LargeObject {
  oid: string
  size: number
}

/** `POST /datasets/{id}.git/info/lfs/objects/batch`: upload URLs of large files. Existing files need no upload. */
export function answerBatch(hub: Hub, call: HubCall, id: string): Answer {
  writableOf(hub, call, id)
  const objects = readJson(call.body).objects as LargeObject[]
  const answer = { transfer: 'basic', objects: objects.map(object => toUpload(hub, id, object)) }
  return toJson(answer, { headers: { 'content-type': 'application/vnd.git-lfs+json' } })
}

function toUpload(hub: Hub, id: string, { oid, size }: LargeObject) {
  if (hub.large.has(oid)) return { oid, size }
  const verify = { href: `${hub.url}/api/datasets/${id}/lfs-verify` }
  const address = (path: string) => `${hub.storageUrl}/${path}?signature=${hub.signature}`
  if (size <= hub.partBytes) return { oid, size, authenticated: true, actions: { upload: { href: address(oid) }, verify } }
  const parts = Array.from({ length: Math.ceil(size / hub.partBytes) }, (_, index) => String(index + 1).padStart(5, '0'))
  const urls = Object.fromEntries(parts.map(part => [part, address(`${oid}/${Number(part)}`)]))
  const header = { chunk_size: String(hub.partBytes), ...urls }
  return { oid, size, authenticated: true, actions: { upload: { href: address(`${oid}/complete`), header }, verify } }
}

export function answerVerify(hub: Hub, call: HubCall, id: string): Answer {
  readableOf(hub, call, id)
  const { oid, size } = readJson(call.body) as unknown as LargeObject
  if (hub.large.get(oid)?.length !== size) throw new Refusal(404, `The object ${oid} is not in the storage`)
  return toJson({})
}

/** The storage of large files. It requires URLs with a signature and rejects tokens, like signed URLs of object stores. */
export function answerStorage(hub: Hub, call: HubCall): Answer {
  if (call.headers.authorization !== undefined) throw new Refusal(400, 'Only one way of authentication is allowed')
  if (call.search.get('signature') !== hub.signature) throw new Refusal(403, 'The signature is not valid')
  const [oid = '', part] = call.segments
  if (call.method === 'GET' || call.method === 'HEAD') {
    const content = hub.large.get(oid)
    if (!content) throw new Refusal(404, `The object ${oid} is not in the storage`)
    return toRange(content, call.headers.range, { etag: `"${oid}"`, 'content-type': 'application/octet-stream' })
  }
  if (part === undefined) return store(hub, oid, call.body)
  if (part === 'complete') return complete(hub, oid, readJson(call.body).parts as { partNumber: number }[])
  hub.parts.set(`${oid}/${part}`, call.body)
  return { status: 200, headers: { etag: `"${sha256Of(call.body)}"` }, body: Buffer.alloc(0) }
}

function store(hub: Hub, oid: string, content: Buffer): Answer {
  if (sha256Of(content) !== oid) throw new Refusal(400, `The content does not have the SHA-256 ${oid}`)
  hub.large.set(oid, content)
  return { status: 200, headers: { etag: `"${oid}"` }, body: Buffer.alloc(0) }
}

function complete(hub: Hub, oid: string, parts: { partNumber: number }[]): Answer {
  const contents = parts.map(({ partNumber }) => {
    const content = hub.parts.get(`${oid}/${partNumber}`)
    if (!content) throw new Refusal(400, `The part ${partNumber} was not uploaded`)
    return content
  })
  for (const { partNumber } of parts) hub.parts.delete(`${oid}/${partNumber}`)
  return store(hub, oid, Buffer.concat(contents))
}

interface CommitLine {
  key: string
  value: Record<string, string>
}

/** `POST /api/datasets/{id}/commit/{branch}`: a line of JSON for the title and for each change. */
export function answerCommit(hub: Hub, call: HubCall, id: string, segments: string[]): Answer {
  const repository = writableOf(hub, call, id)
  const branch = takeRevision(segments).revision
  const last = commitOf(repository, branch)
  const lines = call.body
    .toString()
    .split('\n')
    .filter(Boolean)
    .map(line => readJson(Buffer.from(line)) as unknown as CommitLine)
  const header = lines.find(({ key }) => key === 'header')?.value
  if (!header?.summary) throw new Refusal(400, 'The commit has no summary')
  if (header.parentCommit && header.parentCommit !== last.oid) {
    throw new Refusal(412, 'A commit has happened since. Please refresh and try again.')
  }
  const changes = new Map<string, HubFile | null>()
  for (const { key, value } of lines) {
    if (key === 'header') continue
    for (const [path, file] of toChanges(hub, id, branch, key, value)) changes.set(path, file)
  }
  const { oid } = commitTo(repository, branch, header.summary, changes)
  return toJson({ success: true, commitOid: oid, commitUrl: `${hub.url}/datasets/${id}/commit/${oid}`, hookOutput: '' })
}

function toChanges(hub: Hub, id: string, branch: string, key: string, value: Record<string, string>): [string, HubFile | null][] {
  const { path = '', content = '', oid = '' } = value
  if (path === '' || path.split('/').some(name => ['', '.', '..', '.git'].includes(name))) {
    throw new Refusal(400, `The path "${path}" is not valid`)
  }
  if (key === 'file') {
    return [[path, toFile(Buffer.from(content, value.encoding === 'base64' ? 'base64' : 'utf8'), false)]]
  }
  if (key === 'lfsFile') {
    const large = hub.large.get(oid)
    if (!large) throw new Refusal(422, `The large file of "${path}" was not uploaded`)
    return [[path, toFile(large, true)]]
  }
  if (key === 'deletedFile') return [[path, null]]
  if (key !== 'deletedFolder') throw new Refusal(400, `The operation "${key}" is not known`)
  const repository = hub.repositories.get(id)
  const commit = repository && findCommit(repository, branch)
  const entries = (commit && listTree(commit, path.replace(/\/$/, ''), true)) ?? []
  return entries.filter(({ type }) => type === 'file').map(entry => [entry.path, null])
}
