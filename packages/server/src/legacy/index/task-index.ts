/**
 * The records of one task dataset in memory: the values of each record for filters, sorts and counts, and the records of each
 * word. A changed record gets a new ordinal; the words of the old one remain but are ignored.
 *
 * Words are stored by record instead of posting lists by word: this is four times as fast to fill, and reading all of it takes a
 * few milliseconds.
 */
import type { Document } from '@postil/domain/legacy/fields'
import { toDocument } from '@postil/domain/legacy/fields'
import { toLight } from '@postil/domain/legacy/light'
import type { StoredRecord } from '@postil/domain/legacy/record'
import { TASK_RULES } from '@postil/domain/legacy/rules-of'
import type { Task } from '@postil/domain/legacy/tasks'
import { compareIds } from '../compare.ts'
import { createRecordWords } from './record-words.ts'

export interface Entry {
  id: string
  document: Document
}

export interface TaskIndex {
  /** Estimated memory. */
  readonly bytes: number
  /** True if most of it belongs to changed or deleted records. */
  readonly isMostlyOld: boolean
  /** Number of ordinals, including old ones. */
  readonly length: number
  entryOf(ordinal: number): Entry | undefined
  /** Returns ordinals ordered by record id, starting after this id. */
  ordinals(after: string): readonly number[]
  /** Returns the number of a word, or -1 if no record has it. */
  numberOf(word: string): number
  numbersOf(test: (word: string) => boolean): number[]
  /** Appends the ordinals of the records with each word to the lists of that word, by word number and in order. */
  fill(lists: ReadonlyMap<number, number[][]>): void
  put(id: string, record: StoredRecord): void
  /** Removes all other records. */
  keepOnly(ids: ReadonlySet<string>): void
}

/** Approximate memory in bytes, measured with records of 60 words. */
const BYTES = { record: 900, value: 60, mention: 120 }
/** Limit of distinct strings that are shared; further ones are stored separately. */
const SHARED_MAX = 10_000
const OLD_MIN = 10_000

export function createTaskIndex(task: Task): TaskIndex {
  const rules = TASK_RULES[task]
  const entries: (Entry | undefined)[] = []
  const byId = new Map<string, number>()
  const words = createRecordWords()
  const share = createInterner()
  let bytes = 0
  let order: number[] = []
  let added: number[] = []

  const remove = (id: string) => {
    const old = byId.get(id)
    if (old === undefined) return
    byId.delete(id)
    entries[old] = undefined
  }

  const idOf = (ordinal: number) => entries[ordinal]?.id ?? ''

  /** Sorts and merges only the added records, because sorting all of them would take longer than a search. */
  const sort = (): readonly number[] => {
    if (added.length === 0 && order.length === byId.size) return order
    const isLive = (ordinal: number) => entries[ordinal] !== undefined
    const sorted = added.filter(isLive).sort((a, b) => compareIds(idOf(a), idOf(b)))
    ;[order, added] = [mergeSorted(order.filter(isLive), sorted, idOf), []]
    return order
  }

  return {
    get bytes() {
      return bytes + words.bytes()
    },
    get isMostlyOld() {
      return entries.length > OLD_MIN && entries.length > 2 * byId.size
    },
    get length() {
      return entries.length
    },
    entryOf: ordinal => entries[ordinal],
    ordinals: after => {
      const all = sort()
      return after === '' ? all : all.slice(all.length - countAfter(all, idOf, after))
    },
    numberOf: words.numberOf,
    numbersOf: words.numbersOf,
    fill: words.fill,
    put: (id, record) => {
      remove(id)
      const document = toDocument(record, rules)
      const ordinal = entries.push({ id, document: toLight(document, share) }) - 1
      byId.set(id, ordinal)
      added.push(ordinal)
      bytes += bytesOf(document)
      words.add(document.derived.text)
    },
    keepOnly: ids => {
      for (const id of byId.keys()) if (!ids.has(id)) remove(id)
    },
  }
}

function bytesOf({ record, derived: { metrics } }: Document): number {
  const mentions = (metrics.predicted?.mentions.length ?? 0) + (metrics.annotated?.mentions.length ?? 0)
  return BYTES.record + BYTES.value * Object.keys(record.metadata ?? {}).length + BYTES.mention * mentions
}

function createInterner() {
  const known = new Map<unknown, unknown>()
  return <T>(value: T): T => {
    if (typeof value !== 'string') return value
    const before = known.get(value)
    if (before === undefined && known.size < SHARED_MAX) known.set(value, value)
    return (before as T | undefined) ?? value
  }
}

function mergeSorted(a: readonly number[], b: readonly number[], idOf: (ordinal: number) => string): number[] {
  if (b.length === 0) return [...a]
  const merged: number[] = []
  let at = 0
  for (const ordinal of a) {
    while (at < b.length && compareIds(idOf(b[at] as number), idOf(ordinal)) < 0) merged.push(b[at++] as number)
    merged.push(ordinal)
  }
  return [...merged, ...b.slice(at)]
}

/** Returns the number of ids after this one. */
function countAfter(ordinals: readonly number[], idOf: (ordinal: number) => string, after: string): number {
  let [low, high] = [0, ordinals.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareIds(idOf(ordinals[middle] as number), after) > 0) high = middle
    else low = middle + 1
  }
  return ordinals.length - low
}
