/**
 * Records and responses refer to their dataset by the number of its head, because a number takes 3 bytes and an id takes 36, in
 * every row and every index entry. All other tables use the id.
 */
import type { Id } from '@postil/domain/schema'
import type { Queryable } from './database.ts'

/** SQL for the number of a dataset, whose id is bound; null, which never equals anything, for an unknown dataset. */
export const DATASET_NO = '(select no from dataset_heads where dataset_id = ?)'

/**
 * SQL for the dataset id of a row of `records` or `responses`. It is a subquery, because a join would lock the head together with
 * the row.
 */
export const datasetIdSql = (alias: string): string => `(select dataset_id from dataset_heads where no = ${alias}.dataset_no)`

/**
 * Returns the number itself, for statements that list records ordered by number. PostgreSQL needs the value for planning;
 * otherwise it may scan the records of all datasets in that order.
 */
export async function findDatasetNo(db: Queryable, datasetId: Id): Promise<number | null> {
  // Safe to cache, because the number never changes.
  const cached = db.cache.get(keyOf(datasetId)) as number | undefined
  if (cached !== undefined) return cached
  const row = await db.sql.get<{ no: number }>('select no from dataset_heads where dataset_id = ?', [datasetId])
  if (!row) return null
  db.cache.set(keyOf(datasetId), row.no)
  return row.no
}

const keyOf = (datasetId: Id) => `number of ${datasetId}`

export async function loadDatasetNo(db: Queryable, datasetId: Id): Promise<number> {
  const no = await findDatasetNo(db, datasetId)
  if (no === null) throw new Error(`Dataset ${datasetId} has no head`)
  return no
}
