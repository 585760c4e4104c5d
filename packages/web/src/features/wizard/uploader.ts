/**
 * Sends a file in chunks. The upload can be paused, survives a lost connection, and continues after a reload. The number of
 * received bytes always comes from the server.
 */
import { ConnectionError, UnexpectedAnswerError } from '@postil/client'
import { DomainError } from '@postil/domain/errors'
import { type Ref, ref, shallowRef } from 'vue'
import type { Api } from '../../api.ts'

export type UploadState = 'idle' | 'running' | 'paused' | 'waiting' | 'failed' | 'done'

export interface Uploader {
  readonly state: Readonly<Ref<UploadState>>
  readonly received: Readonly<Ref<number>>
  readonly problem: Readonly<Ref<unknown>>
  /** False after a reload: the user has to choose the file again. */
  readonly hasFile: Readonly<Ref<boolean>>
  /** Without a file, only requests the number of bytes that the server has received. */
  open(upload: { id: string; size: number }, file: File | null): Promise<void>
  pause(): void
  resume(file?: File): void
  close(): void
}

/** Chunk size: small enough for a smooth progress bar and cheap retries, large enough for files of a gigabyte. */
const PIECE = 2 * 1_048_576
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000
/** Limit for consecutive conflicts without progress. Another tab that uploads the same file causes occasional conflicts. */
const CONFLICTS_MAX = 20

/** True for temporary errors: the server is unavailable or busy, so the same request can be retried. */
export const isTransient = (error: unknown) =>
  error instanceof ConnectionError ||
  (error instanceof UnexpectedAnswerError && (error.status >= 500 || error.status === 429)) ||
  (error instanceof DomainError && (error.code === 'unavailable' || error.code === 'unauthenticated'))

export function openUploader(api: Api): Uploader {
  const state = ref<UploadState>('idle')
  const received = ref(0)
  const problem = shallowRef<unknown>(null)
  let upload = { id: '', size: 0 }
  const hasFile = ref(false)
  let file: File | null = null
  /** Aborts the current send loop; each start creates a new controller. */
  let current = new AbortController()

  const params = () => ({ upload_id: upload.id })
  const syncReceived = async (signal: AbortSignal) => {
    received.value = (await api.getUpload({ params: params() }, { signal })).received
  }

  async function sendNext(source: File, signal: AbortSignal): Promise<void> {
    const offset = received.value
    const piece = source.slice(offset, offset + PIECE)
    const body = new Uint8Array(await piece.arrayBuffer())
    received.value = (await api.putUploadContent({ params: params(), query: { offset }, body }, { signal })).received
  }

  async function send(signal: AbortSignal): Promise<void> {
    let failures = 0
    let conflicts = 0
    let isKnown = false
    while (!signal.aborted) {
      try {
        if (!isKnown) await syncReceived(signal)
        isKnown = true
        if (received.value >= upload.size) return end('done')
        if (file === null) return end('paused')
        state.value = 'running'
        await sendNext(file, signal)
        failures = 0
        conflicts = 0
      } catch (error) {
        if (signal.aborted) return
        isKnown = false
        if (error instanceof DomainError && error.code === 'conflict' && ++conflicts < CONFLICTS_MAX) continue
        if (!isTransient(error)) return end('failed', error)
        state.value = 'waiting'
        await pauseFor(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++), signal)
      }
    }
  }

  function end(last: UploadState, error: unknown = null): void {
    state.value = last
    problem.value = error
  }

  function start(): Promise<void> {
    hasFile.value = file !== null
    current.abort()
    current = new AbortController()
    problem.value = null
    state.value = 'running'
    return send(current.signal)
  }

  return {
    state,
    received,
    problem,
    hasFile,
    open(given, source) {
      upload = given
      file = source
      received.value = 0
      return start()
    },
    pause() {
      current.abort()
      if (state.value === 'running' || state.value === 'waiting') state.value = 'paused'
    },
    resume(given) {
      file = given ?? file
      void start()
    },
    close() {
      current.abort()
      upload = { id: '', size: 0 }
      file = null
      hasFile.value = false
      received.value = 0
      end('idle')
    },
  }
}

/** Resolves early when the signal is aborted. */
function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
