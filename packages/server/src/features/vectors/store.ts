/** All SQL of vectors. They are stored as 64-bit floats, so that values are returned exactly as sent. */
import { marks, type Queryable } from '../../storage/database.ts'
import { among, type NumbersQuery } from '../../storage/record-pages.ts'

export interface VectorRow {
  record_no: number
  vectors_settings_no: number
  value: readonly number[]
}

export interface NewVectorRow extends Omit<VectorRow, 'value'> {
  value: readonly number[] | Float64Array
}

/**
 * Writes vectors and replaces existing ones. A replaced vector gets a new number, so that readers who follow the numbers see it.
 */
export async function putVectors(db: Queryable, rows: readonly NewVectorRow[], options: { replace: boolean }): Promise<void> {
  if (options.replace) {
    const text = 'delete from vectors where record_no = ? and vectors_settings_no = ?'
    await db.sql.runEach(
      text,
      rows.map(row => [row.record_no, row.vectors_settings_no]),
    )
  }
  const values = rows.map(row => [row.record_no, row.vectors_settings_no, toBytes(row)])
  await db.sql.insertAll('vectors', ['record_no', 'vectors_settings_no', 'value'], values)
}

/** Lists the vectors of these records and vectors settings. */
export async function listVectorsOf(
  db: Queryable,
  recordNos: readonly number[] | NumbersQuery,
  settingsNos: readonly number[],
): Promise<VectorRow[]> {
  if (('length' in recordNos && recordNos.length === 0) || settingsNos.length === 0) return []
  const records = among('record_no', recordNos)
  const text = `select record_no, vectors_settings_no, value from vectors
    where ${records.text} and vectors_settings_no in (${marks(settingsNos)}) order by record_no, vectors_settings_no`
  const rows = await db.sql.all<{ record_no: number; vectors_settings_no: number; value: Uint8Array }>(text, [
    ...records.params,
    ...settingsNos,
  ])
  return rows.map(row => ({ ...row, value: toNumbers(row.value) }))
}

/** Deletes up to `limit` vectors of one kind. Returns how many were deleted. */
export async function deleteSomeVectors(db: Queryable, settingsNo: number, limit: number): Promise<number> {
  const text = 'delete from vectors where no in (select no from vectors where vectors_settings_no = ? order by no limit ?)'
  return (await db.sql.run(text, [settingsNo, limit])).changes
}

const toBytes = ({ value }: NewVectorRow): Uint8Array => {
  const { buffer, byteOffset, byteLength } = value instanceof Float64Array ? value : toFloats(value)
  return new Uint8Array(buffer, byteOffset, byteLength)
}

export function toFloats(value: readonly number[]): Float64Array<ArrayBuffer> {
  // A plain loop is three times as fast as passing the list to the constructor.
  const floats = new Float64Array(value.length)
  for (let i = 0; i < value.length; i++) floats[i] = value[i] as number
  return floats
}

function toNumbers(bytes: Uint8Array): number[] {
  // Copies the bytes (`slice` of a Buffer does not), because 64-bit floats require an aligned offset.
  return Array.from(new Float64Array(new Uint8Array(bytes).buffer))
}
