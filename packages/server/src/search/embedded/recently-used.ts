/** What was not used for this long is dropped, such as what belongs to a deleted dataset. */
const IDLE_MS_MAX = 10 * 60_000
const IDLE_CHECK_MS = 60_000

/** What a thread holds in memory and can read again, the one that was used last standing last. What is not used for a while goes. */
export class RecentlyUsed<Key, Value> {
  readonly #held = new Map<Key, { value: Value; usedAtMs: number }>()
  #isCheckDue = false

  get size(): number {
    return this.#held.size
  }

  keys(): Key[] {
    return [...this.#held.keys()]
  }

  values(): Value[] {
    return Array.from(this.#held.values(), ({ value }) => value)
  }

  entries(): [Key, Value][] {
    return Array.from(this.#held, ([key, { value }]) => [key, value])
  }

  /** Takes a value out, to use it. One that is not put back, because a change to it failed halfway, is lost. */
  take(key: Key): Value | null {
    const known = this.#held.get(key)
    this.#held.delete(key)
    return known?.value ?? null
  }

  put(key: Key, value: Value): void {
    this.#held.delete(key)
    this.#held.set(key, { value, usedAtMs: Date.now() })
    this.#checkIdleLater()
  }

  drop(key: Key): void {
    this.#held.delete(key)
  }

  /** By a timer: while nobody searches, nothing else gives the memory back. It does not keep the process running. */
  #checkIdleLater(): void {
    if (this.#isCheckDue) return
    this.#isCheckDue = true
    setTimeout(() => this.#dropIdle(), IDLE_CHECK_MS).unref()
  }

  #dropIdle(): void {
    this.#isCheckDue = false
    for (const [key, { usedAtMs }] of this.#held) if (Date.now() - usedAtMs >= IDLE_MS_MAX) this.#held.delete(key)
    if (this.#held.size > 0) this.#checkIdleLater()
  }
}
