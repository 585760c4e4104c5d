import type { Sort } from '@postil/domain/search/query'
import type { Bitmap } from './bitmap.ts'
import { targetKey } from './column-key.ts'
import type { FilterContext } from './filter.ts'
import { ID_PARTS, IdColumn } from './id-column.ts'
import { KeywordColumn } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'
import type { RecordColumns } from './record-columns.ts'
import { AverageKey, ResponseKey, StatusKey } from './response-key.ts'
import { Selection } from './selection.ts'
import { IdKey, KeywordKey, NumberKey, OrdinalKey, type Sign, type SortKey } from './sort-key.ts'

export interface Page {
  offset: number
  limit: number
}

/** Keys are computed for so many ordinals at a time, to stay in the processor's cache. */
const BLOCK = 1024

/** A page of `matches` in the order of `sort`, ties in the order of their ids. */
export function sortPage(matches: Bitmap, sort: readonly Sort[], page: Page, context: FilterContext): Uint32Array {
  const keys = [...sort.flatMap(entry => toKeys(entry, context)), ...lastKeys(context.columns)]
  const ordinals = matches.ordinals()
  const end = Math.min(page.offset + page.limit, ordinals.length)
  if (page.offset >= end) return new Uint32Array(0)
  const selection = new Selection(keys.length, end)
  const buffers = keys.map(() => new Float64Array(BLOCK))
  const block = new Uint32Array(BLOCK)
  const blocks = Math.ceil(ordinals.length / BLOCK)
  const isBackwards = isNewestFirst(sort)
  for (let i = 0; i < blocks; i++) {
    const at = isBackwards ? blocks - 1 - i : i
    const part = ordinals.subarray(at * BLOCK, (at + 1) * BLOCK)
    block.set(part)
    addBlock(selection, keys, { ordinals: block, buffers, size: part.length })
  }
  return selection.page(page.offset, end)
}

interface Block {
  ordinals: Uint32Array
  /** One for each key. */
  buffers: Float64Array[]
  size: number
}

/** Later keys are computed only for records that the first one leaves. */
function addBlock(selection: Selection, keys: readonly SortKey[], { ordinals, buffers, size }: Block): void {
  let kept = size
  for (const [i, key] of keys.entries()) {
    const buffer = buffers[i] as Float64Array
    key.fill(ordinals, kept, buffer)
    if (i === 0) kept = selection.keepCandidates(ordinals, buffer, kept)
  }
  selection.add(ordinals, buffers, kept)
}

/** Times and ids ascend with ordinals: starting with the last records, nearly all others are dropped by their first key. */
function isNewestFirst([first]: readonly Sort[]): boolean {
  return first?.order === 'desc' && first.target.kind === 'record' && /^(id|inserted_at|updated_at)$/.test(first.target.property)
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

/** The ids, unless ordinals, by which a selection breaks ties, are in the same order. */
function lastKeys(columns: RecordColumns): SortKey[] {
  const ids = columns.ids()
  return ids.isAscending ? [] : idKeys(ids, 1)
}
