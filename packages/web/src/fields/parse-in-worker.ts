/**
 * Parses markdown that could block the page in a worker, one text at a time. A single parser step can take many seconds and
 * cannot be interrupted, so a worker that does not respond in time is terminated, and its text counts as too complex.
 */
import workerUrl from './markdown-worker.ts?worker&url'

const PATIENCE_MS = 2_000
/** Start timeout; longer, because the worker is loaded over the network. */
const START_PATIENCE_MS = 20_000
const WAITING_MAX = 500

interface Job {
  text: string
  answer: PromiseWithResolvers<string | null>
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

// The page's CSP requires a named Trusted Types policy for script URLs; this one allows exactly one URL.
const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
const policy = types?.createPolicy('postil-markdown', { createScriptURL: () => workerUrl })

export function openWorkerParser() {
  const waiting: Job[] = []
  let active: Job | null = null
  let worker: Worker | null = null
  let isReady = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function endWorker(): void {
    clearTimeout(timer)
    worker?.terminate()
    worker = null
    isReady = false
  }

  /** Null: the text is too complex and has no HTML. Error: parsing failed for another reason and may be retried. */
  function finish(html: string | null | Error): void {
    clearTimeout(timer)
    const job = active
    active = null
    if (html instanceof Error) job?.answer.reject(html)
    else job?.answer.resolve(html)
    next()
  }

  function failToStart(): void {
    endWorker()
    finish(new Error('The markdown worker did not start'))
  }

  function startWorker(): Worker {
    const started = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' })
    started.addEventListener('error', failToStart)
    started.addEventListener('message', ({ data }: MessageEvent<'ready' | { html: string | null }>) => {
      if (data !== 'ready') return finish(data.html)
      isReady = true
      send()
    })
    timer = setTimeout(failToStart, START_PATIENCE_MS)
    return started
  }

  function send(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      endWorker()
      finish(null)
    }, PATIENCE_MS)
    worker?.postMessage(active?.text)
  }

  function next(): void {
    active ??= waiting.shift() ?? null
    if (active === null) return
    if (worker === null) worker = startWorker()
    else if (isReady) send()
  }

  /** Returns unsanitized HTML, or null if the text is too complex. Visible texts have priority over prefetched ones. */
  function parse(text: string, isOnScreen: boolean): Promise<string | null> {
    const known = [active, ...waiting].find(job => job?.text === text)
    if (known) return known.answer.promise
    const job: Job = { text, answer: Promise.withResolvers() }
    if (isOnScreen) waiting.unshift(job)
    else waiting.push(job)
    for (const { answer } of waiting.splice(WAITING_MAX)) answer.reject(new Error('Too many texts wait for the markdown worker'))
    if (active === null) next()
    return job.answer.promise
  }

  return {
    parse,
    close: () => {
      waiting.length = 0
      endWorker()
    },
  }
}
