import type { Sort } from '@postil/domain/search/query'
import type { Bitmap } from '../bitmap.ts'
import { nameOf, RECORD_ID, targetKey } from './column-key.ts'
import type { FilterContext } from './filter.ts'
import { ID_PARTS, IdColumn } from './id-column.ts'
import { KeywordColumn } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'
import type { RecordColumns } from './record-columns.ts'
import { AverageKey, ResponseKey, StatusKey } from './response-key.ts'
import { IdKey, KeywordKey, NumberKey, OrdinalKey, type Sign, type SortKey } from './sort-key.ts'
import { sortOrdinals } from './sort-ordinals.ts'

export interface Page {
  offset: number
  limit: number
  /** Number of matching records. */
  total: number
}

/** Up to this share of all records, sorting the matches is faster than sorting all records and filtering the result. */
const FEW_SHARE = 1 / 16

/** Returns a page of `matches`, a subset of the live records, in the order of `sort`. Ties are broken by id. */
export function sortPage(matches: Bitmap, sort: readonly Sort[], page: Page, context: FilterContext): Uint32Array {
  const { columns } = context
  const { total } = page
  const end = Math.min(page.offset + page.limit, total)
  if (page.offset >= end) return new Uint32Array(0)
  const records = columns.live.count()
  // Estimates whether reading the cached order up to the end of the page visits fewer records than there are matches.
  const isNear = columns.orders.isCached(nameOfOrder(sort, context)) && (end / total) * records < total
  if (total <= records * FEW_SHARE && !isNear) {
    const keys = [...sort.flatMap(entry => toKeys(entry, context)), ...lastKeys(columns)]
    return sortOrdinals(matches.ordinals(total), keys).slice(page.offset, end)
  }
  const order = orderBy(sort, context)
  return total === records ? order.slice(page.offset, end) : pageWithin(order, matches, page.offset, end)
}

function nameOfOrder(sort: readonly Sort[], { userId }: FilterContext): string {
  const isOfUser = sort.some(({ target }) => target.kind === 'response' || target.kind === 'response_status')
  return JSON.stringify([sort, isOfUser ? userId : null])
}

/** Returns all records in the order of `sort`. */
function orderBy(sort: readonly Sort[], context: FilterContext): Uint32Array {
  const { columns } = context
  const { live, orders, uses: used } = columns
  const last = lastKeys(columns)
  const byId = () => {
    const sorted = { name: 'id', columns: [nameOf(RECORD_ID)], keys: last, used }
    return last.length === 0 ? live.ordinals() : orders.renew(sorted, live, () => sortOrdinals(live.ordinals(), last))
  }
  const keys = sort.flatMap(entry => toKeys(entry, context))
  const sorted = {
    name: nameOfOrder(sort, context),
    columns: sort.map(({ target }) => nameOf(targetKey(target))),
    keys: [...keys, ...last],
    used,
  }
  return orders.renew(sorted, live, () => sortOrdinals(byId(), keys))
}

/** Returns the matches at positions `from` to `end` of the order. */
function pageWithin(order: Uint32Array, { words }: Bitmap, from: number, end: number): Uint32Array {
  const page = new Uint32Array(end - from)
  let passed = 0
  let i = 0
  for (; passed < from; i++) {
    const ordinal = order[i] as number
    passed += ((words[ordinal >>> 5] as number) >>> (ordinal & 31)) & 1
  }
  for (let size = 0; size < page.length; i++) {
    const ordinal = order[i] as number
    page[size] = ordinal
    size += ((words[ordinal >>> 5] as number) >>> (ordinal & 31)) & 1
  }
  return page
}

function toKeys({ target, order }: Sort, { columns, userId }: FilterContext): SortKey[] {
  const sign: Sign = order === 'asc' ? 1 : -1
  const column = columns.column(targetKey(target))
  if (target.kind === 'response_status') {
    const responses = columns.responses()
    return [new ResponseKey(responses.rows, responses.rows.userCode(userId), new StatusKey(responses, sign))]
  }
  if (target.kind === 'response') {
    const { rows } = columns.responses()
    const user = rows.userCode(userId)
    if (column instanceof NumberColumn) return [new AverageKey(rows, user, column, sign)]
    if (column instanceof KeywordColumn) return [new ResponseKey(rows, user, new KeywordKey(column, sign))]
  }
  if (column instanceof KeywordColumn) return [new KeywordKey(column, sign)]
  if (column instanceof NumberColumn) return [new NumberKey(column, sign)]
  if (column instanceof IdColumn) return idKeys(column, sign)
  throw new Error(`Records cannot be sorted by a column of ${target.kind}`)
}

function idKeys(ids: IdColumn, sign: Sign): SortKey[] {
  if (ids.isAscending) return [new OrdinalKey(sign)]
  return Array.from({ length: ID_PARTS }, (_, part) => new IdKey(ids, part, sign))
}

/** Keys that break ties by id. Empty if ids ascend with ordinals, because ordinals then break ties in the same way. */
function lastKeys(columns: RecordColumns): SortKey[] {
  const ids = columns.ids()
  return ids.isAscending ? [] : idKeys(ids, 1)
}
