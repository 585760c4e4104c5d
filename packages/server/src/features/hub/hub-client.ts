/**
 * Hub client for jobs: the official library with our own `fetch`. Failures are either permanent (`HubRefusal`) or temporary
 * (`HubUnavailable`).
 */
import {
  type CommitOperation,
  commit,
  createRepo,
  datasetInfo,
  downloadFile,
  HubApiError,
  listCommits,
  listFiles,
} from '@huggingface/hub'
import type { AsyncBuffer } from 'hyparquet'
import { OutgoingError } from '../../lib/outgoing.ts'
import { createServiceFetch } from '../../lib/outgoing-fetch.ts'
import { HubRefusal, HubUnavailable } from './failures.ts'

/** Limit of one response: a column of a row group, or a listing. */
const ANSWER_BYTES_MAX = 520 * 1024 * 1024
/** Limit for files that are read as a whole, such as the README. */
const TEXT_BYTES_MAX = 5 * 1024 * 1024
const FILES_MAX = 100_000
/** Number of recent commits searched for our own. */
const COMMITS_MAX = 200

export interface HubOptions {
  hubUrl: string
  token: string | null
  signal?: AbortSignal
}

export interface HubClient {
  /** Returns the head commit of a branch, or null if the branch does not exist. Throws if the repository does not exist. */
  findCommit(name: string, revision: string): Promise<string | null>
  listPaths(name: string, revision: string): Promise<string[]>
  /** Returns the content of a text file, or null if it does not exist. */
  findText(name: string, revision: string, path: string): Promise<string | null>
  openFile(name: string, revision: string, path: string): Promise<AsyncBuffer>
  createRepository(name: string, isPrivate: boolean): Promise<void>
  /** True if one of the latest commits has this title. */
  hasCommit(name: string, title: string): Promise<boolean>
  commit(name: string, title: string, parentCommit: string, operations: CommitOperation[]): Promise<void>
}

export function createHubClient({ hubUrl, token, signal }: HubOptions): HubClient {
  const fetch = createServiceFetch({ serviceUrl: hubUrl, bytesMax: ANSWER_BYTES_MAX, ...(signal && { signal }) })
  const common: Common = { hubUrl, fetch, ...(token !== null && { accessToken: token }) }
  const repoOf = (name: string) => ({ type: 'dataset', name }) as const

  async function open(name: string, revision: string, path: string): Promise<Blob | null> {
    // Uses range requests to the file's URL: the hub's chunk protocol (Xet) has no benefit for a few columns.
    return downloadFile({ ...common, repo: repoOf(name), revision, path, xet: false })
  }

  return {
    findCommit: (name, revision) => findCommit(common, name, revision),
    listPaths: (name, revision) =>
      attempt(name, async () => {
        const paths: string[] = []
        for await (const { type, path } of listFiles({ ...common, repo: repoOf(name), revision, recursive: true })) {
          if (typeof path !== 'string') throw new TypeError('A path of the hub is not a text')
          if (type === 'file') paths.push(path)
          if (paths.length > FILES_MAX) throw new HubRefusal(`\`${name}\` has more than ${FILES_MAX} files`)
        }
        return paths
      }),
    findText: (name, revision, path) =>
      attempt(name, async () => {
        const file = await open(name, revision, path)
        if (file !== null && file.size > TEXT_BYTES_MAX) throw new HubRefusal(`\`${path}\` has more than ${TEXT_BYTES_MAX} bytes`)
        return file === null ? null : file.text()
      }),
    openFile: (name, revision, path) =>
      attempt(name, async () => {
        const file = await open(name, revision, path)
        if (file === null) throw new HubRefusal(`\`${name}\` has no file \`${path}\` any more`)
        return toBuffer(file, name)
      }),
    createRepository: async (name, isPrivate) => {
      try {
        await createRepo({ ...common, accessToken: token ?? '', repo: repoOf(name), private: isPrivate })
      } catch (error) {
        // The repository exists already and remains unchanged.
        if (!(error instanceof HubApiError && error.statusCode === 409)) throw toFailure(error, name)
      }
    },
    hasCommit: (name, title) =>
      attempt(name, async () => {
        let seen = 0
        for await (const found of listCommits({ ...common, repo: repoOf(name) })) {
          if (found.title === title) return true
          if (++seen === COMMITS_MAX) return false
        }
        return false
      }),
    commit: (name, title, parentCommit, operations) =>
      attempt(name, async () => {
        const abort = signal && { abortSignal: signal }
        await commit({ ...common, ...abort, repo: repoOf(name), title, parentCommit, operations, useXet: false })
      }),
  }
}

interface Common {
  hubUrl: string
  fetch: typeof fetch
  accessToken?: string
}

/** The library does not distinguish a missing branch from a missing repository, but the response headers do. */
async function findCommit(common: Common, name: string, revision: string): Promise<string | null> {
  let code: string | null = null
  const noting: typeof fetch = async (input, init) => {
    const answer = await common.fetch(input, init)
    code = answer.headers.get('x-error-code')
    return answer
  }
  try {
    const { sha } = await datasetInfo({ ...common, fetch: noting, name, revision, additionalFields: ['sha'] })
    if (typeof sha !== 'string') throw new TypeError('A commit of the hub is not a text')
    return sha
  } catch (error) {
    if (code === 'RevisionNotFound') return null
    throw toFailure(error, name)
  }
}

function toBuffer(file: Blob, name: string): AsyncBuffer {
  return {
    byteLength: file.size,
    slice: (start, end = file.size) =>
      attempt(name, async () => {
        const bytes = await file.slice(start, end).arrayBuffer()
        if (bytes.byteLength !== end - start) throw new HubUnavailable('The hub sent another part of the file than was asked for')
        return bytes
      }),
  }
}

async function attempt<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFailure(error, name)
  }
}

/** Replaces messages of the library and of `JSON.parse`, because they contain signed URLs and texts of the hub. */
function toFailure(error: unknown, name: string): Error {
  if (error instanceof HubRefusal || error instanceof HubUnavailable) return error
  if (error instanceof OutgoingError || hasCode(error))
    return new HubUnavailable(`The hub could not be reached: ${error.message}`)
  if (!(error instanceof HubApiError)) {
    return new HubUnavailable(`The answer for \`${name}\` is not that of a hub: check SERVICE_HUB_URL`)
  }
  const { statusCode } = error
  if (statusCode === 404) return new HubRefusal(`The hub has no dataset \`${name}\`, or it is private`)
  if (statusCode === 401)
    return new HubRefusal(`The hub has no dataset \`${name}\` that can be read without a token, or it does not know the token`)
  if (statusCode === 403) return new HubRefusal(`The token does not allow this for \`${name}\``)
  const isRefused = statusCode >= 400 && statusCode < 500 && ![408, 409, 412, 425, 429].includes(statusCode)
  const text = `The hub answered ${statusCode} for \`${name}\``
  return isRefused ? new HubRefusal(text) : new HubUnavailable(text)
}

/** Errors of connections have a code. */
const hasCode = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string'
