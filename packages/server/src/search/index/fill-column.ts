import type { ResponseStatus } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { SearchValue } from '@postil/domain/search/document'
import { Bitmap } from '../bitmap.ts'
import { ByteColumn } from '../columns/byte-column.ts'
import type { ColumnBlock, ColumnValue } from '../columns/column-block.ts'
import type { ColumnKey } from '../columns/column-key.ts'
import { IdColumn } from '../columns/id-column.ts'
import { KeywordColumn } from '../columns/keyword-column.ts'
import type { RecordColumns } from '../columns/record-columns.ts'
import { Responses } from '../columns/responses.ts'
import { toMicros } from '../columns/times.ts'
import { UserRows } from '../columns/user-rows.ts'

/** Writes a block to an existing column. `ordinals` has the ordinals of the block's records. */
export function fillColumn(columns: RecordColumns, key: ColumnKey, ordinals: Uint32Array, block: ColumnBlock): void {
  const { userIds, values } = block
  const column = columns.column(key)
  if (column instanceof UserRows) ordinals.forEach((ordinal, i) => void column.add(ordinal, userIds[i] as Id))
  else if (column instanceof Responses) column.fill(ordinals, userIds, values as ResponseStatus[])
  else if (column instanceof IdColumn) column.fill(ordinals, values as Id[])
  else if (column instanceof ByteColumn) column.fill(ordinals, values as number[])
  else {
    const places = key.kind === 'response' ? slotsOf(columns, ordinals, userIds) : ordinals
    if (column instanceof Bitmap) column.fill(places.filter((_, i) => isPresent(values[i])))
    else if (column instanceof KeywordColumn) column.fill(places, convert(values, String))
    else column.fill(places, convert(values, key.kind === 'record' ? value => toMicros(String(value)) : Number))
  }
}

/** A row without a value marks presence. */
function isPresent(value: ColumnValue | undefined): boolean {
  return typeof value !== 'object' || value.length > 0
}

function slotsOf(columns: RecordColumns, ordinals: Uint32Array, userIds: readonly Id[]): Uint32Array {
  const { rows } = columns.responses()
  return ordinals.map((ordinal, i) => {
    const slot = rows.find(ordinal, userIds[i] as Id)
    if (slot < 0) throw new Error('The index does not know a response that it is given an answer of')
    return slot
  })
}

function convert<T>(values: readonly ColumnValue[], toValue: (value: SearchValue) => T): (T | T[])[] {
  return values.map(value => (typeof value === 'object' ? value.map(toValue) : toValue(value)))
}
