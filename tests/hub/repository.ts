/** Dataset repositories of the loopback hub: commits, branches and files, all in memory. */
import { createHash, randomUUID } from 'node:crypto'

export interface HubFile {
  content: Buffer
  /** Git object id of the content or of its pointer. */
  oid: string
  /** SHA-256 of the content if it is in the large file storage. */
  sha256: string | null
}

export interface HubCommit {
  oid: string
  title: string
  date: string
  parent: string | null
  /** Sorted by path. */
  files: ReadonlyMap<string, HubFile>
}

export interface HubRepository {
  /** `owner/name`. */
  id: string
  isPrivate: boolean
  createdAt: string
  commits: Map<string, HubCommit>
  /** Last commit by branch. */
  branches: Map<string, string>
}

export interface TreeEntry {
  type: 'file' | 'directory'
  path: string
  oid: string
  size: number
  lfs?: { oid: string; size: number; pointerSize: number }
}

const ATTRIBUTES = '*.parquet filter=lfs diff=lfs merge=lfs -text\n'

export const sha256Of = (content: Buffer) => createHash('sha256').update(content).digest('hex')

const oidOf = (content: Buffer) => createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')

/** The text that git stores instead of a large file. */
export const toPointer = (sha256: string, size: number) =>
  Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${size}\n`)

export function toFile(content: Buffer, isLarge: boolean): HubFile {
  if (!isLarge) return { content, oid: oidOf(content), sha256: null }
  const sha256 = sha256Of(content)
  return { content, oid: oidOf(toPointer(sha256, content.length)), sha256 }
}

export function createRepository(id: string, isPrivate: boolean): HubRepository {
  const repository: HubRepository = {
    id,
    isPrivate,
    createdAt: new Date().toISOString(),
    commits: new Map(),
    branches: new Map(),
  }
  commitTo(repository, 'main', 'initial commit', new Map([['.gitattributes', toFile(Buffer.from(ATTRIBUTES), false)]]))
  return repository
}

/** Adds a commit to a branch, which is created if necessary. A null file is deleted. */
export function commitTo(
  repository: HubRepository,
  branch: string,
  title: string,
  changes: ReadonlyMap<string, HubFile | null>,
): HubCommit {
  const parent = repository.branches.get(branch) ?? null
  const files = new Map(parent === null ? [] : repository.commits.get(parent)?.files)
  for (const [path, file] of changes) {
    if (file) files.set(path, file)
    else files.delete(path)
  }
  const oid = createHash('sha1').update(randomUUID()).digest('hex')
  const sorted = new Map(Array.from(files).sort(([a], [b]) => (a < b ? -1 : 1)))
  const commit = { oid, title, date: new Date().toISOString(), parent, files: sorted }
  repository.commits.set(oid, commit)
  repository.branches.set(branch, oid)
  return commit
}

/** `revision` is a branch, a commit or `HEAD`. */
export function findCommit(repository: HubRepository, revision: string): HubCommit | undefined {
  const branch = revision === 'HEAD' ? 'main' : revision
  return repository.commits.get(repository.branches.get(branch) ?? revision)
}

/** Newest first. */
export function listCommits(repository: HubRepository, last: HubCommit): HubCommit[] {
  const commits = [last]
  for (let { parent } = last; parent !== null; ) {
    const commit = repository.commits.get(parent)
    if (!commit) break
    commits.push(commit)
    parent = commit.parent
  }
  return commits
}

export function toEntry(path: string, { content, oid, sha256 }: HubFile): TreeEntry {
  const size = content.length
  if (sha256 === null) return { type: 'file', path, oid, size }
  return { type: 'file', path, oid, size, lfs: { oid: sha256, size, pointerSize: toPointer(sha256, size).length } }
}

/** Returns the entries of a folder, sorted by path; null if it does not exist. The root is the empty path. */
export function listTree({ files }: HubCommit, folder: string, isRecursive: boolean): TreeEntry[] | null {
  const prefix = folder === '' ? '' : `${folder}/`
  const entries = new Map<string, TreeEntry>()
  for (const [path, file] of files) {
    if (!path.startsWith(prefix)) continue
    const names = path.slice(prefix.length).split('/')
    for (let depth = 1; depth < names.length; depth++) {
      const parent = prefix + names.slice(0, depth).join('/')
      if (isRecursive || depth === 1) {
        entries.set(parent, { type: 'directory', path: parent, oid: oidOf(Buffer.from(parent)), size: 0 })
      }
    }
    if (isRecursive || names.length === 1) entries.set(path, toEntry(path, file))
  }
  if (entries.size === 0 && folder !== '') return null
  return Array.from(entries.values()).sort((a, b) => (a.path < b.path ? -1 : 1))
}
