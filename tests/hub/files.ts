/** Reading: files by revision, trees, and the Parquet files that the hub creates for every dataset. */
import { type Answer, type Hub, type HubCall, Refusal, readableOf, readJson, takeRevision, toJson, toRange } from './answers.ts'
import { findCommit, type HubCommit, type HubRepository, listTree, toEntry, toPointer } from './repository.ts'

/** Branch of the files that the hub converts. */
export const PARQUET_BRANCH = 'refs/convert/parquet'

const LARGE_FILE_EXPIRY_S = 3600

export function commitOf(repository: HubRepository, revision: string): HubCommit {
  const commit = findCommit(repository, revision)
  if (!commit) throw new Refusal(404, `Invalid rev id: ${revision}`, 'RevisionNotFound')
  return commit
}

/** `/datasets/{id}/resolve/{revision}/{path}`, also with `raw`. */
export function answerFile(hub: Hub, call: HubCall, id: string, kind: string, segments: string[]): Answer {
  const repository = readableOf(hub, call, id)
  const { revision, rest } = takeRevision(segments)
  const commit = commitOf(repository, revision)
  const file = commit.files.get(rest.join('/'))
  const headers = { 'x-repo-commit': commit.oid }
  if (!file) {
    const { answer } = new Refusal(404, 'Entry not found', 'EntryNotFound')
    return { ...answer, headers: { ...answer.headers, ...headers } }
  }
  const tagged = { ...headers, etag: `"${file.oid}"`, 'content-type': 'application/octet-stream' }
  if (file.sha256 === null) return toRange(file.content, call.headers.range, tagged)
  if (kind === 'raw') return toRange(toPointer(file.sha256, file.content.length), call.headers.range, tagged)
  hub.large.set(file.sha256, file.content)
  const location = `${hub.storageUrl}/${file.sha256}?expires=${LARGE_FILE_EXPIRY_S}&signature=${hub.signature}`
  const linked = { 'x-linked-etag': `"${file.sha256}"`, 'x-linked-size': String(file.content.length) }
  return { status: 302, headers: { ...tagged, ...linked, location }, body: Buffer.from(`Found. Redirecting to ${location}`) }
}

/** `/api/datasets/{id}/tree/{revision}/{path}`, in pages. */
export function answerTree(hub: Hub, call: HubCall, id: string, segments: string[]): Answer {
  const repository = readableOf(hub, call, id)
  const { revision, rest } = takeRevision(segments)
  const commit = commitOf(repository, revision)
  const isRecursive = ['true', 'True', '1'].includes(call.search.get('recursive') ?? '')
  const entries = listTree(commit, rest.join('/'), isRecursive)
  if (!entries) throw new Refusal(404, `${rest.join('/')} does not exist on "${revision}"`, 'EntryNotFound')
  const from = Number(call.search.get('cursor') ?? 0)
  const to = from + hub.treePageMax
  if (to >= entries.length) return toJson(entries.slice(from))
  const search = new URLSearchParams(call.search)
  search.set('cursor', String(to))
  const next = `${hub.url}/${call.segments.map(encodeURIComponent).join('/')}?${search}`
  return toJson(entries.slice(from, to), { headers: { link: `<${next}>; rel="next"` } })
}

/** `POST /api/datasets/{id}/paths-info/{revision}`, with JSON or a form. Paths that do not exist are omitted. */
export function answerPaths(hub: Hub, call: HubCall, id: string, segments: string[]): Answer {
  const repository = readableOf(hub, call, id)
  const commit = commitOf(repository, takeRevision(segments).revision)
  const isForm = call.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  const paths = isForm ? new URLSearchParams(call.body.toString()).getAll('paths') : (readJson(call.body).paths as string[])
  const entries = listTree(commit, '', true) ?? []
  return toJson(paths.flatMap(path => entries.find(entry => entry.path === path) ?? []))
}

/** `GET /api/datasets/{id}` and `/api/datasets/{id}/revision/{revision}`. */
export function answerInfo(hub: Hub, call: HubCall, id: string, segments: string[]): Answer {
  const repository = readableOf(hub, call, id)
  const commit = commitOf(repository, segments.length > 0 ? takeRevision(segments).revision : 'main')
  const hasBlobs = ['true', 'True', '1'].includes(call.search.get('blobs') ?? '')
  const siblings = Array.from(commit.files, ([path, file]) => {
    const { oid, size, lfs } = toEntry(path, file)
    const large = lfs && { sha256: lfs.oid, size: lfs.size, pointerSize: lfs.pointerSize }
    return { rfilename: path, ...(hasBlobs && { blobId: oid, size, ...(large && { lfs: large }) }) }
  })
  return toJson({
    _id: id,
    id,
    author: id.split('/')[0],
    sha: commit.oid,
    createdAt: repository.createdAt,
    lastModified: commit.date,
    private: repository.isPrivate,
    gated: false,
    disabled: false,
    downloads: 0,
    likes: 0,
    tags: [],
    siblings,
  })
}

/** `/api/datasets/{id}/parquet`, optionally followed by a subset, a split and the number of a file. */
export function answerParquet(hub: Hub, call: HubCall, id: string, segments: string[]): Answer {
  const repository = readableOf(hub, call, id)
  const [subset, split, name] = segments
  const byPlace = parquetOf(hub, repository)
  if (subset === undefined) return toJson(byPlace)
  const splits = byPlace[subset]
  if (!splits) throw new Refusal(404, `The subset "${subset}" does not exist`, 'EntryNotFound')
  if (split === undefined) return toJson(splits)
  const urls = splits[split]
  if (!urls) throw new Refusal(404, `The split "${split}" does not exist`, 'EntryNotFound')
  if (name === undefined) return toJson(urls)
  const path = parquetPaths(repository, subset, split)[Number(name.replace('.parquet', ''))]
  if (path === undefined) throw new Refusal(404, `The file "${name}" does not exist`, 'EntryNotFound')
  const location = `${hub.url}/datasets/${id}/resolve/${encodeURIComponent(PARQUET_BRANCH)}/${path}`
  return { status: 302, headers: { location }, body: Buffer.alloc(0) }
}

/** Returns URLs by subset and split. */
function parquetOf(hub: Hub, repository: HubRepository): Record<string, Record<string, string[]>> {
  const byPlace: Record<string, Record<string, string[]>> = {}
  for (const path of findCommit(repository, PARQUET_BRANCH)?.files.keys() ?? []) {
    const [subset, split, name] = path.split('/')
    if (subset === undefined || split === undefined || !name?.endsWith('.parquet')) continue
    byPlace[subset] ??= {}
    byPlace[subset][split] ??= []
    const urls = byPlace[subset][split]
    urls.push(`${hub.url}/api/datasets/${repository.id}/parquet/${subset}/${split}/${urls.length}.parquet`)
  }
  return byPlace
}

const parquetPaths = (repository: HubRepository, subset: string, split: string) =>
  Array.from(findCommit(repository, PARQUET_BRANCH)?.files.keys() ?? []).filter(path =>
    new RegExp(`^${RegExp.escape(subset)}/${RegExp.escape(split)}/[^/]+\\.parquet$`).test(path),
  )
