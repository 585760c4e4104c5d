/** An answer that was not used by then would be outdated. */
const KEPT_MS = 10_000

/** Answers that are asked for while the page that needs them is still on its way. Each is taken once. */
export interface Ahead {
  ask(key: string, ask: () => Promise<unknown>): void
  /** The answer asked for ahead under this key; without one it is asked for now. */
  take<T>(key: string, ask: () => Promise<T>): Promise<T>
}

export function openAhead(): Ahead {
  const answers = new Map<string, Promise<unknown>>()
  return {
    ask(key, ask) {
      const answer = ask()
      // The caller that takes it sees the error.
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
