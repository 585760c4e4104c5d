/** All SQL of vectors. Stored as 64-bit floats, so that what was sent comes back to the digit. */
import { marks, type Queryable } from '../../storage/database.ts'

export interface VectorRow {
  record_no: number
  vectors_settings_no: number
  value: readonly number[]
}

export interface NewVectorRow extends Omit<VectorRow, 'value'> {
  value: readonly number[] | Float64Array
}

/**
 * Writes vectors, replacing those a record has. A replaced vector gets a new number, so that readers who catch up by
 * number see it.
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

/** Vectors of these records, of these kinds. */
export async function listVectorsOf(
  db: Queryable,
  recordNos: readonly number[],
  settingsNos: readonly number[],
): Promise<VectorRow[]> {
  if (recordNos.length === 0 || settingsNos.length === 0) return []
  const text = `select record_no, vectors_settings_no, value from vectors
    where record_no in (${marks(recordNos)}) and vectors_settings_no in (${marks(settingsNos)}) order by record_no, vectors_settings_no`
  const rows = await db.sql.all<{ record_no: number; vectors_settings_no: number; value: Uint8Array }>(text, [
    ...recordNos,
    ...settingsNos,
  ])
  return rows.map(row => ({ ...row, value: toNumbers(row.value) }))
}

/** Removes up to `limit` vectors of one kind; answers how many there were. */
export async function deleteSomeVectors(db: Queryable, settingsNo: number, limit: number): Promise<number> {
  const text = 'delete from vectors where no in (select no from vectors where vectors_settings_no = ? order by no limit ?)'
  return (await db.sql.run(text, [settingsNo, limit])).changes
}

const toBytes = ({ value }: NewVectorRow): Uint8Array => {
  const { buffer, byteOffset, byteLength } = value instanceof Float64Array ? value : toFloats(value)
  return new Uint8Array(buffer, byteOffset, byteLength)
}

export function toFloats(value: readonly number[]): Float64Array<ArrayBuffer> {
  // A plain loop is three times as fast as handing the list to the constructor.
  const floats = new Float64Array(value.length)
  for (let i = 0; i < value.length; i++) floats[i] = value[i] as number
  return floats
}

function toNumbers(bytes: Uint8Array): number[] {
  // A copy (`slice` of a Buffer is none), since the bytes may begin anywhere in memory and 64-bit floats may not.
  return Array.from(new Float64Array(new Uint8Array(bytes).buffer))
}
