import {
  type CountedTarget,
  type CountQuery,
  type Counts,
  NO_COUNTS,
  type TargetCount,
  toEmptyCount,
  toQueueFilters,
} from '@postil/domain/search/counts'
import type { Filter } from '@postil/domain/search/query'
import type { Bitmap } from '../bitmap.ts'
import { targetKey } from './column-key.ts'
import { countEach, countNumbers, countWords } from './facet.ts'
import { keepMatching } from './filter.ts'
import { KeywordColumn } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'
import type { RecordColumns } from './record-columns.ts'

/**
 * Counts records by queue and by value. `found` has the records that match the text; null for a query without text. The columns
 * of `countKeys` must be loaded.
 */
export function countColumns(columns: RecordColumns, query: CountQuery, found: Bitmap | null): Counts {
  const among = found === null ? columns.live : found.clone().and(columns.live)
  const under = createMatcher(columns, query, among)
  const inQueue = (queue: CountQuery['queue']) => under([...query.filters, ...toQueueFilters(queue)]).count()
  const by_status = { ...NO_COUNTS }
  for (const queue of query.queues) by_status[queue] = inQueue(queue)
  return {
    total: inQueue(query.queue),
    by_status,
    targets: countTargets(columns, query, under),
  }
}

type Matcher = (filters: readonly Filter[]) => Bitmap

/**
 * Finds the records that match some filters. Targets share most of their filters, so the matches of each filter are cached for
 * the whole count.
 */
function createMatcher(columns: RecordColumns, { userId }: CountQuery, among: Bitmap): Matcher {
  const known = new Map<string, Bitmap>()
  const matchesOf = (filter: Filter): Bitmap => {
    const name = JSON.stringify(filter)
    const matches = known.get(name) ?? among.clone()
    if (!known.has(name)) keepMatching(matches, filter, { columns, userId })
    known.set(name, matches)
    return matches
  }
  return filters => filters.reduce((bits, filter) => bits.and(matchesOf(filter)), among.clone())
}

/** Counts targets with the same filters together, so that they share the list of matches. */
function countTargets(columns: RecordColumns, { targets, userId }: CountQuery, under: Matcher): TargetCount[] {
  const counts = new Map<CountedTarget, TargetCount>()
  for (const group of Map.groupBy(targets, target => JSON.stringify(target.filters)).values()) {
    const matches = under(group[0]?.filters ?? [])
    const ordinals = matches.ordinals()
    for (const counted of group) {
      const isResponse = counted.target.kind === 'response'
      const rows = isResponse ? slotsWithin(columns, userId, matches) : ordinals
      counts.set(counted, countTarget(columns, counted, rows))
    }
  }
  return targets.map(target => counts.get(target) ?? toEmptyCount(target))
}

/** The user's response slots on matching records. */
function slotsWithin(columns: RecordColumns, userId: string, matches: Bitmap): Uint32Array {
  const { rows } = columns.responses()
  return rows
    .ofUser(userId)
    .ordinals()
    .filter(slot => matches.has(rows.ordinalOf(slot)))
}

function countTarget(columns: RecordColumns, { target, as, valuesMax }: CountedTarget, ordinals: Uint32Array): TargetCount {
  const column = columns.column(targetKey(target))
  if (column instanceof KeywordColumn && as === 'values') return countWords(column, ordinals, valuesMax)
  if (column instanceof NumberColumn)
    return as === 'values' ? countEach(column, ordinals, valuesMax) : countNumbers(column, ordinals, as)
  throw new Error(`Values of ${target.kind} cannot be counted as ${as}`)
}
