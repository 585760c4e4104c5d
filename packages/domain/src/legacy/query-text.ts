/** Query texts of the 1.x API: Lucene's query string syntax, with AND as the default operator. */
import { foldText } from '../search/tokens.ts'
import { invalidQueryText } from './errors.ts'
import { kindOfField } from './fields.ts'
import { type Pattern, parsePattern } from './pattern.ts'

export interface Range {
  /** Null if the range has no lower bound. */
  from: { value: string; isIncluded: boolean } | null
  to: { value: string; isIncluded: boolean } | null
}

export type QueryNode =
  | { type: 'all' }
  | { type: 'and' | 'or'; nodes: QueryNode[] }
  | { type: 'not'; node: QueryNode }
  | { type: 'term' | 'fuzzy'; field: string; text: string; edits: number }
  | { type: 'phrase'; field: string; text: string; slop: number }
  | { type: 'pattern'; field: string; pattern: Pattern }
  | { type: 'range'; field: string; range: Range }
  | { type: 'exists'; field: string }

const DEFAULT_FIELD = 'text'
export const QUERY_TEXT_LENGTH_MAX = 10_000
const DEPTH_MAX = 50
const EDITS_MAX = 2
const SLOP_MAX = 1_000

/** Characters that end a word unless they are escaped with a backslash. */
const WORD_END = /[\s()"[\]{}^~:]/

class Parser {
  readonly text: string
  at = 0
  depth = 0

  constructor(text: string) {
    this.text = text
  }

  fail(message: string): never {
    throw invalidQueryText(`${message} (at character ${this.at + 1} of the query)`)
  }

  get next(): string {
    return this.text.charAt(this.at)
  }

  skipBlanks(): void {
    while (/\s/.test(this.next)) this.at++
  }

  /** Consumes the word or sign if it comes next. Operators such as AND must be whole words. */
  take(what: string): boolean {
    this.skipBlanks()
    if (!this.text.startsWith(what, this.at)) return false
    const after = this.text.charAt(this.at + what.length)
    if (/^\w+$/.test(what) && after !== '' && !/[\s()]/.test(after)) return false
    this.at += what.length
    return true
  }

  isAtEnd(): boolean {
    this.skipBlanks()
    return this.at >= this.text.length || this.next === ')'
  }

  parseOr(field: string): QueryNode {
    if (++this.depth > DEPTH_MAX) this.fail(`Parentheses may be nested ${DEPTH_MAX} levels deep`)
    const nodes = [this.parseAnd(field)]
    while (this.take('OR') || this.take('||')) nodes.push(this.parseAnd(field))
    this.depth--
    return toNode('or', nodes)
  }

  parseAnd(field: string): QueryNode {
    const nodes = [this.parseUnary(field)]
    while (!this.isAtEnd()) {
      const start = this.at
      if (this.take('OR') || this.take('||')) {
        this.at = start
        break
      }
      if (!this.take('AND')) this.take('&&')
      nodes.push(this.parseUnary(field))
    }
    return toNode('and', nodes)
  }

  parseUnary(field: string): QueryNode {
    let isNegated = false
    for (;;) {
      if (this.take('NOT') || this.take('!') || this.take('-')) isNegated = !isNegated
      else if (!this.take('+')) break
    }
    const node = this.parseClause(field)
    return isNegated ? { type: 'not', node } : node
  }

  parseClause(field: string): QueryNode {
    this.skipBlanks()
    if (this.at >= this.text.length) this.fail('A word is missing at the end')
    if (this.take('(')) {
      const node = this.parseOr(field)
      if (!this.take(')')) this.fail('A closing parenthesis is missing')
      this.parseBoost()
      return node
    }
    const start = this.at
    const word = this.readWord()
    this.skipBlanks()
    if (word.raw !== '' && this.next === ':') {
      this.at++
      this.skipBlanks()
      return this.parseFieldValue(this.toField(word.plain))
    }
    this.at = start
    return this.parseValue(field)
  }

  /** `*` and the `*` of `inputs.*` stand for all fields. */
  toField(name: string): string {
    const field = name === '*' ? DEFAULT_FIELD : name.replace(/\.\*$/, '')
    if (/[*?]/.test(field)) this.fail(`A \`*\` may only stand for all fields, or for the last part of one, as in \`inputs.*\``)
    return field
  }

  parseFieldValue(name: string): QueryNode {
    if (name === '_exists_') {
      const field = this.toField(this.readWord().plain)
      return field === '' ? this.fail('`_exists_:` needs the name of a field') : { type: 'exists', field }
    }
    return this.next === '(' ? this.parseClause(name) : this.parseValue(name)
  }

  parseValue(field: string): QueryNode {
    const node = this.parsePlainValue(field)
    this.parseBoost()
    return node
  }

  parsePlainValue(field: string): QueryNode {
    if (this.next === '"') return this.parsePhrase(field)
    if (this.next === '/') return this.parseRegex(field)
    if (this.next === '[' || this.next === '{') return this.parseRange(field)
    const sign = /^[<>]=?/.exec(this.text.slice(this.at, this.at + 2))?.[0]
    if (sign !== undefined) {
      this.at += sign.length
      const bound = { value: this.next === '"' ? this.readQuoted() : this.readWord().plain, isIncluded: sign.endsWith('=') }
      if (bound.value === '') this.fail(`A value is missing after \`${sign}\``)
      return { type: 'range', field, range: sign.startsWith('>') ? { from: bound, to: null } : { from: null, to: bound } }
    }
    const { raw, plain } = this.readWord()
    if (raw === '') this.fail(`\`${this.next}\` is not expected here; put a backslash before it to search for it`)
    if (raw === 'AND' || raw === 'OR' || raw === 'NOT') this.fail(`\`${raw}\` needs a word on each side, or quotation marks`)
    if (raw === '*') return field === DEFAULT_FIELD ? { type: 'all' } : { type: 'exists', field }
    if (this.next === '~') return { type: 'fuzzy', field, text: plain, edits: this.parseEdits(plain) }
    if (hasWildcard(raw))
      return { type: 'pattern', field, pattern: parsePattern(kindOfField(field) === 'words' ? foldText(raw) : raw, 'wildcard') }
    return { type: 'term', field, text: plain, edits: 0 }
  }

  parsePhrase(field: string): QueryNode {
    const text = this.readQuoted()
    const slop = this.next === '~' ? Number(this.readTilde() ?? 0) : 0
    return { type: 'phrase', field, text, slop: Math.min(slop, SLOP_MAX) }
  }

  parseRegex(field: string): QueryNode {
    const start = ++this.at
    while (this.at < this.text.length && this.next !== '/') this.at += this.next === '\\' ? 2 : 1
    if (this.at >= this.text.length) this.fail('The `/` at the end of a regular expression is missing')
    return { type: 'pattern', field, pattern: parsePattern(this.text.slice(start, this.at++), 'regex') }
  }

  parseRange(field: string): QueryNode {
    const isFromIncluded = this.next === '['
    this.at++
    const from = this.readBound()
    if (!this.take('TO')) this.fail('A range needs `TO` between its bounds')
    const to = this.readBound()
    this.skipBlanks()
    if (this.next !== ']' && this.next !== '}') this.fail('The bracket at the end of a range is missing')
    const isToIncluded = this.next === ']'
    this.at++
    const bound = (value: string, isIncluded: boolean) => (value === '*' ? null : { value, isIncluded })
    return { type: 'range', field, range: { from: bound(from, isFromIncluded), to: bound(to, isToIncluded) } }
  }

  /** Colons are allowed, because times contain them. */
  readBound(): string {
    this.skipBlanks()
    if (this.next === '"') return this.readQuoted()
    const found = /^[^\s\]}]+/.exec(this.text.slice(this.at, this.at + 1_000))?.[0]
    if (found === undefined) this.fail('A bound of a range is missing')
    this.at += found.length
    return found.replace(/\\(.)/g, '$1')
  }

  readQuoted(): string {
    const start = ++this.at
    while (this.at < this.text.length && this.next !== '"') this.at += this.next === '\\' ? 2 : 1
    if (this.at >= this.text.length) this.fail('A closing quotation mark is missing')
    return this.text.slice(start, this.at++).replace(/\\(.)/gs, '$1')
  }

  readWord(): { raw: string; plain: string } {
    const start = this.at
    while (this.at < this.text.length && !WORD_END.test(this.next)) this.at += this.next === '\\' ? 2 : 1
    const raw = this.text.slice(start, this.at)
    if (/^(\\\\)*\\$/.test(raw.slice(raw.search(/\\*$/)))) this.fail('A backslash at the end stands for nothing')
    return { raw, plain: raw.replace(/\\(.)/gs, '$1') }
  }

  readTilde(): string | null {
    this.at++
    const found = /^\d+(\.\d+)?/.exec(this.text.slice(this.at, this.at + 20))?.[0] ?? null
    this.at += found?.length ?? 0
    return found
  }

  /** Without a number, the distance depends on the word length. Numbers between 0 and 1 are the similarities of old versions. */
  parseEdits(word: string): number {
    const given = this.readTilde()
    if (given === null) return word.length < 3 ? 0 : word.length < 6 ? 1 : EDITS_MAX
    const edits = Number(given)
    return edits >= 1 ? Math.min(Math.floor(edits), EDITS_MAX) : edits === 0 ? 0 : EDITS_MAX
  }

  /** Parses and ignores boosts, because records are not ordered by score. */
  parseBoost(): void {
    if (this.next !== '^') return
    this.at++
    const found = /^\d+(\.\d+)?/.exec(this.text.slice(this.at, this.at + 20))?.[0]
    if (found === undefined) this.fail('A number is missing after `^`')
    this.at += found.length
  }
}

const hasWildcard = (raw: string) => /(^|[^\\])(\\\\)*[*?]/.test(raw)

const toNode = (type: 'and' | 'or', nodes: QueryNode[]): QueryNode =>
  nodes.length === 1 ? (nodes[0] as QueryNode) : { type, nodes }

/** Throws if the text is not a valid query. A blank text matches everything. */
export function parseQueryText(text: string): QueryNode {
  if (text.trim() === '') return { type: 'all' }
  if (text.length > QUERY_TEXT_LENGTH_MAX) throw invalidQueryText(`A query may have ${QUERY_TEXT_LENGTH_MAX} characters`)
  const parser = new Parser(text)
  const node = parser.parseOr(DEFAULT_FIELD)
  parser.skipBlanks()
  if (parser.at < text.length) parser.fail(`\`${parser.next}\` is not expected here`)
  return node
}
