/**
 * Cache of prepared statements by text. Fixed texts are few and stay cached. Texts with a list of values differ by the length of
 * the list, so they have a separate LRU cache and never evict the fixed ones.
 */
const LISTS_MAX = 200

export class StatementCache<Statement> {
  readonly #fixed = new Map<string, Statement>()
  readonly #lists = new Map<string, Statement>()
  readonly #prepare: (text: string) => Statement

  constructor(prepare: (text: string) => Statement) {
    this.#prepare = prepare
  }

  get(text: string): Statement {
    return hasList(text) ? this.#getList(text) : this.#getFixed(text)
  }

  #getFixed(text: string): Statement {
    const known = this.#fixed.get(text)
    if (known !== undefined) return known
    const statement = this.#prepare(text)
    this.#fixed.set(text, statement)
    return statement
  }

  #getList(text: string): Statement {
    const statement = this.#lists.get(text) ?? this.#prepare(text)
    // A map iterates in insertion order, so the first key is the least recently used.
    this.#lists.delete(text)
    this.#lists.set(text, statement)
    const [oldest] = this.#lists.keys()
    if (this.#lists.size > LISTS_MAX && oldest !== undefined) this.#lists.delete(oldest)
    return statement
  }
}

/** Matches the usage of `marks` (database.ts). */
const hasList = (text: string): boolean => text.includes('in (?')
