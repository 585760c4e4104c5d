/**
 * Which records of a dataset match, as a byte for each. What a filter finds is read once, from the index that knows it, and
 * filters are put together in memory: where much matches, that is quicker than to ask about every record, and several
 * counts under different filters share what was read.
 */
import type { Filter } from '@postil/domain/search/query'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset } from '../engine.ts'
import { type Condition, loadNumbers, type TargetNumbers, targetsOf, toCondition, toRecordPart } from './conditions.ts'
import { countRows, toRecordCondition } from './plan.ts'
import { raw, type SqlPart, sql } from './sql-part.ts'
import type { TextCondition } from './text.ts'

/** By a record's number minus `first`: 1 where it matches. */
export interface RecordBits {
  first: number
  bytes: Uint8Array
}

export interface BitsSource {
  /** Whether one of the filters, or the text, leaves so few records that they are better looked up one by one. */
  leavesFew(filters: readonly Filter[]): Promise<boolean>
  /** The records that match all of these and the text. */
  of(filters: readonly Filter[]): Promise<RecordBits>
}

interface Searched {
  dataset: SearchedDataset
  userId: string
  text: TextCondition | null
}

/** Numbers of datasets that grew side by side lie far apart: then there would be more bytes than records. */
const SPARSE_FACTOR = 8
/** Below this share of the records, matches are few. */
const FEW_SHARE = 4

export function openRecordBits(db: Queryable, { dataset, userId, text }: Searched): BitsSource {
  const known = new Map<Condition | string, Promise<Uint8Array>>()
  const sizes = new Map<Condition | string, Promise<boolean>>()
  const range = once(() => findRange(db, dataset))
  const all = once(async () => readAll(db, dataset, await range()))

  /** The condition of each filter, with what it is remembered by. */
  async function conditionsOf(filters: readonly Filter[]): Promise<[key: Condition | string, condition: Condition][]> {
    const targets = { dataset, numbers: await loadNumbers(db, filters.flatMap(targetsOf)), userId }
    const asked = filters.map((filter): [string, Condition] => [JSON.stringify(filter), conditionOf(filter, targets)])
    return text === null ? asked : [[text, text], ...asked]
  }
  const isFew = async ({ set }: Condition) => {
    const limit = Math.floor(dataset.records_count / FEW_SHARE) + 1
    return set !== null && (await countRows(db, sql`select count(*) as size from (${set} limit ${limit})`)) < limit
  }
  const read = async (condition: Condition) => toBytes(db, dataset, condition, { first: (await range()).first, all: await all() })

  return {
    leavesFew: async filters => {
      if (filters.some(filter => filter.kind === 'nothing') || (await range()).isSparse) return true
      for (const [key, condition] of await conditionsOf(filters))
        if (await remember(sizes, key, () => isFew(condition))) return true
      return false
    },
    of: async filters => {
      const bytes = (await all()).slice()
      for (const [key, condition] of await conditionsOf(filters)) {
        keepCommon(bytes, await remember(known, key, () => read(condition)))
      }
      return { first: (await range()).first, bytes }
    },
  }
}

function conditionOf(filter: Filter, targets: TargetNumbers): Condition {
  const part = toRecordPart(filter)
  const condition = part === null ? toCondition(filter, targets) : toRecordCondition(targets.dataset, [part])
  if (condition === null) throw new Error('What matches nothing is not counted')
  return condition
}

export function countBits({ bytes }: RecordBits): number {
  let count = 0
  for (let i = 0; i < bytes.length; i++) count += bytes[i] as number
  return count
}

/** Numbers of the records that match, in order; null when they are many. */
export function listFew(bits: RecordBits, { records_count }: SearchedDataset): number[] | null {
  if (countBits(bits) * FEW_SHARE >= records_count) return null
  const nos: number[] = []
  bits.bytes.forEach((bit, i) => {
    if (bit === 1) nos.push(bits.first + i)
  })
  return nos
}

function keepCommon(bytes: Uint8Array, others: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) bytes[i] = (bytes[i] as number) & (others[i] as number)
}

interface NumberRange {
  first: number
  length: number
  isSparse: boolean
}

async function findRange(db: Queryable, { id, records_count }: SearchedDataset): Promise<NumberRange> {
  const end = (order: 'asc' | 'desc') => `(select no from records where dataset_id = ? order by no ${order} limit 1)`
  const row = await db.sql.get<{ first: number | null; last: number | null }>(
    `select ${end('asc')} as first, ${end('desc')} as last`,
    [id, id],
  )
  const [first, last] = [row?.first ?? 0, row?.last ?? -1]
  const length = last - first + 1
  return { first, length, isSparse: length > records_count * SPARSE_FACTOR }
}

async function readAll(db: Queryable, dataset: SearchedDataset, { first, length }: NumberRange): Promise<Uint8Array> {
  if (length === dataset.records_count) return new Uint8Array(length).fill(1)
  return mark(new Uint8Array(length), await listNos(db, sql`select no from records where dataset_id = ${dataset.id}`), first, 1)
}

async function toBytes(
  db: Queryable,
  dataset: SearchedDataset,
  { set, unset, holds }: Condition,
  { first, all }: { first: number; all: Uint8Array },
): Promise<Uint8Array> {
  if (set === null && unset !== null) return mark(all.slice(), await listNos(db, unset), first, 0)
  const found = set ?? sql`select r.no from records r where r.dataset_id = ${dataset.id} and ${holds(raw('+r.no'))}`
  return mark(new Uint8Array(all.length), await listNos(db, found), first, 1)
}

const listNos = (db: Queryable, { text, params }: SqlPart) => db.sql.column<number>(text, params)

function mark(bytes: Uint8Array, nos: readonly number[], first: number, bit: 0 | 1): Uint8Array {
  for (let i = 0; i < nos.length; i++) bytes[(nos[i] as number) - first] = bit
  return bytes
}

function remember<Key, Value>(known: Map<Key, Promise<Value>>, key: Key, make: () => Promise<Value>): Promise<Value> {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null
  return () => {
    made ??= make()
    return made
  }
}
