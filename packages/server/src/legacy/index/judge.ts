/** Decides from the index whether a record matches a query, or that only its row can tell. */
import type { Document } from '@postil/domain/legacy/fields'
import { kindOfField } from '@postil/domain/legacy/fields'
import type { Filter } from '@postil/domain/legacy/filter'
import { isLightField } from '@postil/domain/legacy/light'
import { isNear, matches } from '@postil/domain/legacy/match'
import { matchesPattern } from '@postil/domain/legacy/pattern'
import type { QueryNode } from '@postil/domain/legacy/query-text'
import { tokenize } from '@postil/domain/search/tokens'
import { Bitmap } from '../../search/bitmap.ts'
import type { TaskIndex } from './task-index.ts'

export const NO = 0
export const YES = 1
export const MAYBE = 2
type Verdict = typeof NO | typeof YES | typeof MAYBE

export type Judge = (ordinal: number, light: Document) => Verdict

/** A set of record ordinals. */
interface Ordinals {
  has(ordinal: number): boolean
}

type Leaf = Exclude<QueryNode, { type: 'all' | 'and' | 'or' | 'not' }>

export function toJudge({ conditions, rules, node }: Filter, index: TaskIndex): Judge {
  const having = createWordSets(index)
  const parts: Judge[] = conditions.map(condition => (_, light) => (condition(light) ? YES : NO))
  if (node !== null) parts.push(ofNode(node, having))
  if (rules.length > 0) parts.push(not(or(rules.map(rule => ofNode(rule, having)))))
  having.load()
  return and(parts)
}

function ofNode(node: QueryNode, having: WordSets): Judge {
  switch (node.type) {
    case 'all':
      return () => YES
    case 'and':
      return and(node.nodes.map(part => ofNode(part, having)))
    case 'or':
      return or(node.nodes.map(part => ofNode(part, having)))
    case 'not':
      return not(ofNode(node.node, having))
    default:
      return isLightField(node.field) ? (_, light) => (matches(light, node) ? YES : NO) : ofText(node, having)
  }
}

function and(parts: readonly Judge[]): Judge {
  return (ordinal, light) => {
    let verdict: Verdict = YES
    for (const part of parts) {
      const one = part(ordinal, light)
      if (one === NO) return NO
      if (one === MAYBE) verdict = MAYBE
    }
    return verdict
  }
}

function or(parts: readonly Judge[]): Judge {
  return (ordinal, light) => {
    let verdict: Verdict = NO
    for (const part of parts) {
      const one = part(ordinal, light)
      if (one === YES) return YES
      if (one === MAYBE) verdict = MAYBE
    }
    return verdict
  }
}

const not =
  (part: Judge): Judge =>
  (ordinal, light) => {
    const verdict = part(ordinal, light)
    return verdict === MAYBE ? MAYBE : verdict === YES ? NO : YES
  }

/** `text` contains the words of all inputs, so a record without a word in `text` does not have it in any input. */
function ofText(node: Leaf, having: WordSets): Judge {
  if (kindOfField(node.field) !== 'words' || !/^(text|inputs)(\.|$)/.test(node.field)) return () => MAYBE
  if (node.type === 'exists' && node.field === 'text') return () => YES
  const wanted = toOrdinals(node, having)
  if (wanted === null) return () => MAYBE
  const isCertain = node.field === 'text' && (node.type !== 'phrase' || wanted.length <= 1)
  const verdict = isCertain ? YES : MAYBE
  return ordinal => (wanted.every(one => one.has(ordinal)) ? verdict : NO)
}

/** Returns sets that each contain all matching records; null if the index cannot narrow the query. */
function toOrdinals(node: Leaf, having: WordSets): Ordinals[] | null {
  switch (node.type) {
    case 'term':
    case 'phrase':
      return [...new Set(tokenize(node.text))].map(having.word)
    case 'pattern':
      return allOf([having.any(word => matchesPattern(node.pattern, word))])
    case 'fuzzy':
      return allOf(tokenize(node.text).map(word => having.any(known => isNear(known, word, node.edits))))
    default:
      return null
  }
}

const allOf = (some: readonly (Ordinals | null)[]): Ordinals[] | null => {
  const known = some.filter(one => one !== null)
  return known.length === 0 || known.length < some.length ? null : known
}

interface WordSets {
  word(word: string): Ordinals
  /** Returns null if there were too many tests. */
  any(test: (word: string) => boolean): Ordinals | null
}

/**
 * Limit of tests, because each runs on all words in one step. Further ones run on rows, between which a read that takes too long
 * can be ended.
 */
const TESTS_MAX = 64

/** Share of all records below which a list takes less memory than a bitmap. */
const SPARSE = 1 / 512

/** Collects all words first, so that the index is read once for all of them. */
function createWordSets(index: TaskIndex): WordSets & { load(): void } {
  const wanted = new Map<number, number[][]>()
  const made: { list: number[]; ordinals: Ordinals }[] = []
  const byNumber = new Map<number, Ordinals>()
  let tests = 0
  const group = (numbers: readonly number[]): Ordinals => {
    const one = { list: [] as number[], ordinals: NONE }
    made.push(one)
    for (const number of numbers) {
      const lists = wanted.get(number)
      if (lists) lists.push(one.list)
      else wanted.set(number, [one.list])
    }
    return { has: ordinal => one.ordinals.has(ordinal) }
  }
  return {
    word: word => {
      const number = index.numberOf(word)
      const ordinals = number < 0 ? NONE : (byNumber.get(number) ?? group([number]))
      byNumber.set(number, ordinals)
      return ordinals
    },
    any: test => (tests++ < TESTS_MAX ? group(index.numbersOf(test)) : null),
    load: () => {
      if (wanted.size > 0) index.fill(wanted)
      for (const one of made) one.ordinals = toOrdinalsOf(one.list, index.length)
    },
  }
}

const NONE: Ordinals = { has: () => false }

function toOrdinalsOf(list: readonly number[], length: number): Ordinals {
  if (list.length < length * SPARSE) return { has: ordinal => list[lowerBound(list, ordinal)] === ordinal }
  const all = new Bitmap(length)
  all.fill(list)
  return all
}

/** Returns the position of the first element that is not smaller than `wanted`. */
function lowerBound(list: readonly number[], wanted: number): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
