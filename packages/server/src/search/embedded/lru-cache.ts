/** Values that are idle for this long are dropped, for example those of a deleted dataset. */
const IDLE_MS_MAX = 10 * 60_000
const IDLE_CHECK_MS = 60_000

/** LRU cache of values that can be read again, in the order of their last use. Idle values are dropped after a while. */
export class LruCache<Key, Value> {
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

  /** Returns a value without marking it as used. */
  peek(key: Key): Value | null {
    return this.#held.get(key)?.value ?? null
  }

  /** Removes a value in order to use it. If a change to it fails halfway, it is not put back and thus discarded. */
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

  /**
   * Starts a timer, because nothing else frees the memory while there are no searches. The timer does not keep the process
   * running.
   */
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
