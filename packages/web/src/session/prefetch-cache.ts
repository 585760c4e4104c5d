/** Maximum age. Unused responses are outdated after this time. */
const KEPT_MS = 10_000

/** Prefetched responses, requested while the page that needs them is still loading. Each is taken once. */
export interface PrefetchCache {
  prefetch(key: string, ask: () => Promise<unknown>): void
  /** Returns the prefetched response for this key, or sends the request now if there is none. */
  take<T>(key: string, ask: () => Promise<T>): Promise<T>
}

export function createPrefetchCache(): PrefetchCache {
  const answers = new Map<string, Promise<unknown>>()
  return {
    prefetch(key, ask) {
      const answer = ask()
      // Prevents an unhandled rejection; the caller that takes the response gets the error.
      answer.catch(() => undefined)
      answers.set(key, answer)
      setTimeout(() => answers.get(key) === answer && answers.delete(key), KEPT_MS)
    },
    take<T>(key: string, ask: () => Promise<T>): Promise<T> {
      const answer = answers.get(key)
      answers.delete(key)
      return (answer as Promise<T> | undefined) ?? ask()
    },
  }
}
