/** All SQL of vectors. Stored as 64-bit floats, so that what was sent comes back to the digit. */
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'

export interface VectorRow {
  record_no: number
  vectors_settings_no: number
  value: readonly number[]
}

/**
 * Writes vectors, replacing those a record has. A replaced vector gets a new number, so that readers who catch up by
 * number see it.
 */
export async function putVectors(db: Queryable, rows: readonly VectorRow[], options: { replace: boolean }): Promise<void> {
  if (options.replace) {
    const text = 'delete from vectors where record_no = ? and vectors_settings_no = ?'
    await db.sql.runEach(
      text,
      rows.map(row => [row.record_no, row.vectors_settings_no]),
    )
  }
  const values = rows.map(row => [row.record_no, row.vectors_settings_no, toBytes(row.value)])
  await db.sql.insertAll('vectors', ['record_no', 'vectors_settings_no', 'value'], values)
}

/** Vectors of these records; of some settings only when their numbers are given. */
export async function listVectorsOf(
  db: Queryable,
  recordNos: readonly number[],
  settingsNos: readonly number[] | null,
): Promise<VectorRow[]> {
  if (recordNos.length === 0 || settingsNos?.length === 0) return []
  const only = settingsNos === null ? '' : `and vectors_settings_no in (${marks(settingsNos)})`
  const text = `select record_no, vectors_settings_no, value from vectors
    where record_no in (${marks(recordNos)}) ${only} order by record_no, vectors_settings_no`
  const rows = await db.sql.all<{ record_no: number; vectors_settings_no: number; value: Uint8Array }>(text, [
    ...recordNos,
    ...(settingsNos ?? []),
  ])
  return rows.map(row => ({ ...row, value: toNumbers(row.value) }))
}

/** The vector of a record of this dataset, or null. */
export async function findVector(db: Queryable, recordNo: number, settingsId: Id): Promise<number[] | null> {
  const text = `select v.value from vectors v join vectors_settings s on s.no = v.vectors_settings_no where v.record_no = ? and s.id = ?`
  const row = await db.sql.get<{ value: Uint8Array }>(text, [recordNo, settingsId])
  return row ? toNumbers(row.value) : null
}

const toBytes = (value: readonly number[]) => new Uint8Array(Float64Array.from(value).buffer)

export function toNumbers(bytes: Uint8Array): number[] {
  // A copy, since the bytes may begin anywhere in memory and 64-bit floats may not.
  return Array.from(new Float64Array(bytes.slice().buffer))
}
