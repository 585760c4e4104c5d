/** Searches records and counts their values. */
import type { LegacySearch } from '@postil/domain/legacy/api-records'
import type { Counter } from '@postil/domain/legacy/counts'
import { closedDataset } from '@postil/domain/legacy/errors'
import { type Filter, type RecordQuery, toFilter, toSorts } from '@postil/domain/legacy/filter'
import { AGGREGATIONS, createMentionCounter, createWordCounter } from '@postil/domain/legacy/metrics'
import type { Task } from '@postil/domain/legacy/tasks'
import type { Json } from '@postil/domain/schema'
import type { RequestContext } from '../context.ts'
import type { Queryable } from '../storage/database.ts'
import { type DatasetRef, loadDataset, type TaskDataset } from './datasets-store.ts'
import { compareFound, findNearest, findRecords, visitFound } from './find.ts'
import { loadRecords } from './records-store.ts'
import { NO_QUERY } from './scan.ts'
import { showRecord } from './show.ts'

interface Page {
  limit: number
  from: number
  withMetrics: boolean
}

export function searchLegacyRecords(ctx: RequestContext, place: DatasetRef, page: Page, given: LegacySearch): Promise<Json> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(ctx, db, place)
    if (dataset.is_closed) throw closedDataset(dataset.name)
    const query = given.query ?? NO_QUERY
    const filter = toFilter(query)
    const { ids, total, aggregations } = query.vector
      ? await nearest(ctx, db, dataset, { filter, vector: query.vector, page })
      : await matching(ctx, db, dataset, { filter, sorts: toSorts(given.sort), page })
    const rows = await loadRecords(db, dataset.no, ids)
    const showing = { task: dataset.task, node: filter.node, withMetrics: page.withMetrics }
    const records = ids.flatMap(id => {
      const row = rows.get(id)
      return row ? [showRecord(row, showing)] : []
    })
    return { total, records, ...(aggregations === null ? {} : { aggregations }) }
  })
}

interface Result {
  /** Ids of the page. */
  ids: string[]
  total: number
  /** Only with the first page. */
  aggregations: Json | null
}

interface Matching {
  filter: Filter
  sorts: ReturnType<typeof toSorts>
  page: Page
}

async function matching(
  ctx: RequestContext,
  db: Queryable,
  dataset: TaskDataset,
  { filter, sorts, page: { from, limit } }: Matching,
): Promise<Result> {
  const counters = from === 0 ? createCounters(dataset.task) : null
  const found = await findRecords(ctx, db, dataset, {
    filter,
    sorts,
    onMatch: document => {
      for (const [, counter] of counters ?? []) counter.add(document)
    },
  })
  const words = createWordCounter()
  if (counters) await visitFound(db, dataset, found.slice(0, WORDS_SAMPLED), document => words.add(document))
  if (sorts.length > 0) found.sort(compareFound(sorts))
  return {
    ids: found.slice(from, from + limit).map(({ id }) => id),
    total: found.length,
    aggregations: counters && toAggregations(dataset.task, [...counters, ['words', words]]),
  }
}

/** Returns no counts, because the nearest records are not all matching ones. */
async function nearest(
  ctx: RequestContext,
  db: Queryable,
  dataset: TaskDataset,
  { filter, vector, page: { from, limit } }: { filter: Filter; vector: NonNullable<RecordQuery['vector']>; page: Page },
): Promise<Result> {
  const ids = await findNearest(ctx, db, dataset, { filter, ...vector, k: vector.k ?? from + limit })
  return { ids: ids.slice(from, from + limit), total: ids.length, aggregations: null }
}

/** Number of records, the first by id, in which words are counted; limited because their rows must be read. */
const WORDS_SAMPLED = 2_000

function createCounters(task: Task): [string, Counter][] {
  const mentions: [string, Counter][] =
    task === 'TokenClassification'
      ? [
          ['predicted_mentions', createMentionCounter('predicted')],
          ['mentions', createMentionCounter('annotated')],
        ]
      : []
  const counters = Object.entries(AGGREGATIONS).map(([name, open]): [string, Counter] => [name, open()])
  return [...counters, ...mentions]
}

function toAggregations(task: Task, counters: readonly [string, Counter][]): Json {
  const results = counters.map(([name, counter]) => [name, counter.result({ size: null, interval: null })])
  const texts = task === 'Text2Text' ? { predicted_text: {}, annotated_text: {} } : {}
  return { ...Object.fromEntries(results), ...texts }
}
