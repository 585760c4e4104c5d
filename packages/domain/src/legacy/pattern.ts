/**
 * Wildcards and regular expressions over whole values. They run as automata in linear time, because the patterns come from
 * callers and JavaScript's regular expressions can take exponential time.
 */
import { invalidQueryText } from './errors.ts'

type Test = (character: string) => boolean

/**
 * With `test`, a state moves to `next` if the character passes; without `test`, it moves to all of `next` without consuming a
 * character.
 */
interface State {
  test: Test | null
  next: number[]
}

export interface Pattern {
  states: State[]
  start: number
  end: number
}

const STATES_MAX = 2_000
const REPEATS_MAX = 100
const DEPTH_MAX = 50

interface Piece {
  start: number
  end: number
}

class Builder {
  states: State[] = []

  add(test: Test | null, next: number[] = []): number {
    if (this.states.length >= STATES_MAX) throw invalidQueryText('The wildcard or regular expression is too large')
    return this.states.push({ test, next }) - 1
  }

  link(from: number, to: number): void {
    this.states[from]?.next.push(to)
  }

  empty(): Piece {
    const state = this.add(null)
    return { start: state, end: state }
  }

  one(test: Test): Piece {
    const end = this.add(null)
    return { start: this.add(test, [end]), end }
  }

  join(a: Piece, b: Piece): Piece {
    this.link(a.end, b.start)
    return { start: a.start, end: b.end }
  }

  either(pieces: readonly Piece[]): Piece {
    const end = this.add(null)
    const start = this.add(
      null,
      pieces.map(piece => piece.start),
    )
    for (const piece of pieces) this.link(piece.end, end)
    return { start, end }
  }

  optional(piece: Piece): Piece {
    return this.either([piece, this.empty()])
  }

  /** Repeats one or more times. */
  repeated(piece: Piece): Piece {
    const end = this.add(null)
    this.link(piece.end, piece.start)
    this.link(piece.end, end)
    return { start: piece.start, end }
  }
}

const ANY: Test = () => true

class PatternParser {
  readonly characters: string[]
  readonly builder = new Builder()
  at = 0
  depth = 0

  constructor(text: string) {
    this.characters = Array.from(text)
  }

  get next(): string {
    return this.characters[this.at] ?? ''
  }

  fail(message: string): never {
    throw invalidQueryText(`${message} in the regular expression`)
  }

  wildcard(): Piece {
    let piece = this.builder.empty()
    for (; this.at < this.characters.length; this.at++) piece = this.builder.join(piece, this.wildcardPart())
    return piece
  }

  wildcardPart(): Piece {
    if (this.next === '*') return this.builder.optional(this.builder.repeated(this.builder.one(ANY)))
    if (this.next === '?') return this.builder.one(ANY)
    if (this.next === '\\') this.at++
    const wanted = this.next
    return this.builder.one(character => character === wanted)
  }

  alternatives(): Piece {
    if (++this.depth > DEPTH_MAX) this.fail('Groups are nested too deep')
    const pieces = [this.sequence()]
    while (this.next === '|') {
      this.at++
      pieces.push(this.sequence())
    }
    this.depth--
    return pieces.length === 1 ? (pieces[0] as Piece) : this.builder.either(pieces)
  }

  sequence(): Piece {
    let piece = this.builder.empty()
    while (this.next !== '' && this.next !== '|' && this.next !== ')') piece = this.builder.join(piece, this.quantified())
    return piece
  }

  quantified(): Piece {
    const start = this.at
    let piece = this.atom()
    for (;;) {
      const sign = this.next
      if (sign === '*') piece = this.builder.optional(this.builder.repeated(piece))
      else if (sign === '+') piece = this.builder.repeated(piece)
      else if (sign === '?') piece = this.builder.optional(piece)
      else if (sign === '{') {
        piece = this.counted(start)
        continue
      } else return piece
      this.at++
    }
  }

  /** Parses the atom again for each copy. */
  counted(start: number): Piece {
    const open = this.at
    const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.characters.slice(open, open + 12).join(''))
    if (!found) this.fail('`{` needs one or two numbers and `}`')
    const min = Number(found[1])
    const max = found[2] === undefined ? min : found[3] === '' ? null : Number(found[3])
    if (min > REPEATS_MAX || (max ?? 0) > REPEATS_MAX) this.fail(`Something may be repeated ${REPEATS_MAX} times at most`)
    const copy = () => {
      this.at = start
      return this.atom()
    }
    let piece = this.builder.empty()
    for (let i = 0; i < min; i++) piece = this.builder.join(piece, copy())
    if (max === null) piece = this.builder.join(piece, this.builder.optional(this.builder.repeated(copy())))
    for (let i = min; max !== null && i < max; i++) piece = this.builder.join(piece, this.builder.optional(copy()))
    this.at = open + found[0].length
    return piece
  }

  atom(): Piece {
    const character = this.next
    this.at++
    if (character === '.') return this.builder.one(ANY)
    if (character === '(') {
      const piece = this.alternatives()
      if (this.next !== ')') this.fail('A closing parenthesis is missing')
      this.at++
      return piece
    }
    if (character === '[') return this.builder.one(this.set())
    if ('*+?{'.includes(character)) this.fail(`\`${character}\` has nothing to repeat`)
    const wanted = character === '\\' ? this.escaped() : character
    return this.builder.one(given => given === wanted)
  }

  escaped(): string {
    const character = this.next
    if (character === '') this.fail('A backslash at the end stands for nothing')
    this.at++
    return character
  }

  set(): Test {
    const isNegated = this.next === '^'
    if (isNegated) this.at++
    const ranges: [string, string][] = []
    while (this.next !== ']') {
      if (this.next === '') this.fail('`]` is missing')
      const from = this.member()
      const isRange = this.next === '-' && this.characters[this.at + 1] !== ']'
      if (isRange) this.at++
      ranges.push([from, isRange ? this.member() : from])
    }
    this.at++
    return character => ranges.some(([from, to]) => compare(from, character) <= 0 && compare(character, to) <= 0) !== isNegated
  }

  member(): string {
    const character = this.next
    this.at++
    return character === '\\' ? this.escaped() : character
  }
}

const compare = (a: string, b: string) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0)

export function parsePattern(text: string, kind: 'wildcard' | 'regex'): Pattern {
  const parser = new PatternParser(text)
  const { start, end } = kind === 'wildcard' ? parser.wildcard() : parser.alternatives()
  if (parser.at < parser.characters.length) parser.fail(`\`${parser.next}\` is not expected`)
  return { states: parser.builder.states, start, end }
}

/** True if the pattern matches the whole value. */
export function matchesPattern({ states, start, end }: Pattern, value: string): boolean {
  let active = closure(states, [start])
  for (const character of value) {
    const reached = [...active].flatMap(index => (states[index]?.test?.(character) ? (states[index]?.next ?? []) : []))
    if (reached.length === 0) return false
    active = closure(states, reached)
  }
  return active.has(end)
}

/** Returns all states that are reachable without consuming a character. */
function closure(states: readonly State[], from: readonly number[]): Set<number> {
  const reached = new Set(from)
  const open = [...from]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const state = states[index]
    if (!state || state.test !== null) continue
    for (const next of state.next) {
      if (reached.has(next)) continue
      reached.add(next)
      open.push(next)
    }
  }
  return reached
}
