/** Finds the records of a query in the dataset's index; see decision 0045. */
import { badRequest } from '@postil/domain/legacy/errors'
import { type Document, toDocument, type Value, valuesOf } from '@postil/domain/legacy/fields'
import { choosesAll, type Filter, isChosen, type Sort } from '@postil/domain/legacy/filter'
import { TASK_RULES } from '@postil/domain/legacy/rules-of'
import type { RequestContext } from '../context.ts'
import type { Queryable } from '../storage/database.ts'
import { compareIds } from './compare.ts'
import type { TaskDataset } from './datasets-store.ts'
import { withIndex } from './index/indexes.ts'
import { MAYBE, NO, toJudge } from './index/judge.ts'
import type { Entry, TaskIndex } from './index/task-index.ts'
import { listIdsAfter, loadRecords, visitRecords, visitVectors } from './records-store.ts'

/** Values of the sort fields; null if missing. */
export type SortKey = (Value | null)[]

export interface FoundRecord {
  id: string
  key: SortKey
}

interface FindOptions {
  filter: Filter
  sorts?: readonly Sort[]
  /** Only ids after this one. */
  after?: string
  /** Maximum number of results, at which the search ends. */
  limit?: number
  /** Called with each matching record, in the index format (domain/legacy/light.ts). */
  onMatch?: (document: Document) => void
}

/** Returns the matching records, ordered by id. */
export async function findRecords(
  ctx: RequestContext,
  db: Queryable,
  dataset: TaskDataset,
  finding: FindOptions,
): Promise<FoundRecord[]> {
  const { filter, after = '', limit, onMatch } = finding
  if (filter.ids !== null) return findNamed(db, dataset, filter.ids, finding)
  if (choosesAll(filter) && limit !== undefined && onMatch === undefined && !finding.sorts?.length) {
    // Exports read their pages by key.
    return (await listIdsAfter(db, dataset.no, after, limit)).map(id => ({ id, key: [] }))
  }
  return withIndex(ctx, db, dataset, index =>
    index === null ? findInRows(db, dataset, finding) : findInIndex(db, dataset, index, finding),
  )
}

function createResults({ sorts = [], after = '', limit = Number.POSITIVE_INFINITY, onMatch }: FindOptions) {
  const found: FoundRecord[] = []
  const add = ({ id, document }: Entry) => {
    if (found.length >= limit || (after !== '' && compareIds(id, after) <= 0)) return
    found.push({ id, key: sorts.map(({ field }) => valuesOf(document, field)[0] ?? null) })
    onMatch?.(document)
  }
  return { found, add, isFull: () => found.length >= limit }
}

async function findNamed(
  db: Queryable,
  { no, task }: TaskDataset,
  ids: readonly string[],
  finding: FindOptions,
): Promise<FoundRecord[]> {
  const { found, add } = createResults(finding)
  const rows = await loadRecords(db, no, [...new Set(ids)])
  const sorted = [...rows.values()].sort((a, b) => compareIds(a.id, b.id))
  for (const { id, record } of sorted) add({ id, document: toDocument(record, TASK_RULES[task]) })
  return found
}

/** For a dataset whose index would be too large. */
async function findInRows(db: Queryable, { no, task }: TaskDataset, finding: FindOptions): Promise<FoundRecord[]> {
  const { found, add } = createResults(finding)
  await visitRecords(db, no, ({ id, record }) => {
    const document = toDocument(record, TASK_RULES[task])
    if (isChosen(finding.filter, document)) add({ id, document })
  })
  return found
}

/** Batch size for reading records that the index alone cannot decide. */
const READ_BATCH_SIZE = 500

async function findInIndex(
  db: Queryable,
  { no, task }: TaskDataset,
  index: TaskIndex,
  finding: FindOptions,
): Promise<FoundRecord[]> {
  const { filter, after = '' } = finding
  const { found, add, isFull } = createResults(finding)
  const judge = toJudge(filter, index)
  let [waiting, undecided] = [[] as Entry[], [] as string[]]
  const settle = async () => {
    const rows = await loadRecords(db, no, undecided)
    const doubts = new Set(undecided)
    for (const entry of waiting) {
      const record = doubts.has(entry.id) ? rows.get(entry.id)?.record : null
      if (record === null || (record && isChosen(filter, toDocument(record, TASK_RULES[task])))) add(entry)
    }
    ;[waiting, undecided] = [[], []]
  }
  for (const ordinal of index.ordinals(after)) {
    const entry = index.entryOf(ordinal)
    const verdict = entry ? judge(ordinal, entry.document) : NO
    if (!entry || verdict === NO) continue
    if (verdict === MAYBE) undecided.push(entry.id)
    // Entries after an undecided one wait for it, to keep the order.
    if (undecided.length === 0) add(entry)
    else waiting.push(entry)
    if (undecided.length >= READ_BATCH_SIZE) await settle()
    if (isFull()) break
  }
  await settle()
  return found
}

/** Reads the rows of the found records, in their order. */
export async function visitFound(
  db: Queryable,
  { no, task }: TaskDataset,
  found: readonly FoundRecord[],
  visit: (document: Document) => void,
): Promise<void> {
  for (let start = 0; start < found.length; start += READ_BATCH_SIZE) {
    const ids = found.slice(start, start + READ_BATCH_SIZE).map(({ id }) => id)
    const rows = await loadRecords(db, no, ids)
    for (const id of ids) {
      const row = rows.get(id)
      if (row) visit(toDocument(row.record, TASK_RULES[task]))
    }
  }
}

/** Missing values come last; ids break ties. */
export function compareFound(sorts: readonly Sort[]): (a: FoundRecord, b: FoundRecord) => number {
  return (a, b) => {
    for (const [i, { field, isDescending }] of sorts.entries()) {
      const [one, other] = [a.key[i] ?? null, b.key[i] ?? null]
      if (one === other) continue
      if (one === null) return 1
      if (other === null) return -1
      const order = field === 'id' ? compareIds(String(one), String(other)) : compareValues(one, other)
      if (order !== 0) return isDescending ? -order : order
    }
    return compareIds(a.id, b.id)
  }
}

function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return compareIds(String(a), String(b))
}

interface Nearest {
  name: string
  value: readonly number[]
  k: number
}

/** Returns the `k` nearest of the matching records, nearest first. */
export async function findNearest(
  ctx: RequestContext,
  db: Queryable,
  dataset: TaskDataset,
  { filter, name, value, k }: Nearest & { filter: Filter },
): Promise<string[]> {
  const dimensions = Object.hasOwn(dataset.facts.vectors, name) ? dataset.facts.vectors[name] : undefined
  if (dimensions === undefined) throw badRequest(`No record of this dataset has a vector \`${name}\``)
  if (dimensions !== value.length) throw badRequest(`Vector \`${name}\` has ${dimensions} dimensions, not ${value.length}`)
  let nearest: { id: string; distance: number }[] = []
  const keep = () => {
    nearest.sort((a, b) => a.distance - b.distance || compareIds(a.id, b.id))
    nearest = nearest.slice(0, k)
  }
  const ids = choosesAll(filter) ? null : (await findRecords(ctx, db, dataset, { filter })).map(({ id }) => id)
  await visitVectors(db, dataset.no, ids, (id, vectors) => {
    const own = Object.hasOwn(vectors, name) ? vectors[name] : undefined
    if (own === undefined) return
    nearest.push({ id, distance: own.value.reduce((sum, part, i) => sum + (part - (value[i] ?? 0)) ** 2, 0) })
    if (nearest.length >= 2 * k + 1_000) keep()
  })
  keep()
  return nearest.map(({ id }) => id)
}
