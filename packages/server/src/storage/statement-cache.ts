/**
 * Prepared statements by their text. Texts of code are few, and stay. Texts with a list of values are one for each length of the list:
 * they are kept apart, and the one that was not used for longest goes first, so that they never push out the others.
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
    // A map lists its keys in the order of their insertion: the first is the one that was not used for longest.
    this.#lists.delete(text)
    this.#lists.set(text, statement)
    const [oldest] = this.#lists.keys()
    if (this.#lists.size > LISTS_MAX && oldest !== undefined) this.#lists.delete(oldest)
    return statement
  }
}

/** As `marks` (database.ts) is used. */
const hasList = (text: string): boolean => text.includes('in (?')
