/** Assigns codes to recurring values, starting at 1; 0 means none. */
export class Codes<T> {
  readonly #codes = new Map<string, number>()
  readonly #things: T[] = []

  get size(): number {
    return this.#things.length
  }

  of(key: string, make: () => T): number {
    const known = this.#codes.get(key)
    if (known !== undefined) return known
    this.#things.push(make())
    this.#codes.set(key, this.#things.length)
    return this.#things.length
  }

  at(code: number): T {
    return this.#things[code - 1] as T
  }

  entries(): [number, T][] {
    return this.#things.map((thing, index) => [index + 1, thing])
  }
}
