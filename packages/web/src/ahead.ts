/** Answers that are asked for while the page that needs them is still on its way. Each is taken once. */
const answers = new Map<string, Promise<unknown>>()

/** What nobody came for by then would be old news. */
const KEPT_MS = 10_000

export function askAhead(key: string, ask: () => Promise<unknown>): void {
  const answer = ask()
  // Whoever takes it hears of a failure.
  answer.catch(() => undefined)
  answers.set(key, answer)
  setTimeout(() => answers.get(key) === answer && answers.delete(key), KEPT_MS)
}

/** The answer asked for ahead under this key; without one it is asked for now. */
export function takeAhead<T>(key: string, ask: () => Promise<T>): Promise<T> {
  const answer = answers.get(key)
  answers.delete(key)
  return (answer as Promise<T> | undefined) ?? ask()
}
