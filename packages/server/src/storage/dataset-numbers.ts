/**
 * Records and responses know their dataset by the number of its head: a number takes three bytes where the id takes 36, in every row and
 * every index entry. Everything else knows datasets by id.
 */
import type { Id } from '@postil/domain/schema'
import type { Queryable } from './database.ts'

/** The number of the dataset whose id is bound here; null, which equals nothing, for an unknown one. */
export const DATASET_NO = '(select no from dataset_heads where dataset_id = ?)'

/** The id of the dataset of a row of `records` or `responses`. A subquery, because a join would lock the head together with the row. */
export const datasetIdOf = (alias: string): string => `(select dataset_id from dataset_heads where no = ${alias}.dataset_no)`

/**
 * The number itself, for statements that list records in the order of their numbers. PostgreSQL must know it when it plans: if it does not, it may
 * walk the records of all datasets in that order.
 */
export async function findDatasetNo(db: Queryable, datasetId: Id): Promise<number | null> {
  // It never changes.
  const kept = db.kept.get(keyOf(datasetId)) as number | undefined
  if (kept !== undefined) return kept
  const row = await db.sql.get<{ no: number }>('select no from dataset_heads where dataset_id = ?', [datasetId])
  if (!row) return null
  db.kept.set(keyOf(datasetId), row.no)
  return row.no
}

const keyOf = (datasetId: Id) => `number of ${datasetId}`

export async function loadDatasetNo(db: Queryable, datasetId: Id): Promise<number> {
  const no = await findDatasetNo(db, datasetId)
  if (no === null) throw new Error(`Dataset ${datasetId} has no head`)
  return no
}
