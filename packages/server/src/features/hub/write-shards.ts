/** Writes the records of a dataset to Parquet files page by page, all from one snapshot of the database. */
import { join } from 'node:path'
import { toExportOrder } from '@postil/domain/exports'
import { fileWriter } from 'hyparquet-writer'
import type { Queryable } from '../../storage/database.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { createParquetWriter, listTypedColumns, type ParquetFileWriter } from '../exports/parquet.ts'
import { ALL_RELATIONS, type ExportSource, readPages, toRows } from '../exports/read-records.ts'

/** A file that reaches this size is closed, and the next one begins. */
const SHARD_BYTES_MAX = 256 * 1024 * 1024

interface ShardsOptions {
  folder: string
  signal: AbortSignal
  onProgress(done: number): void
}

/** Returns the paths of the files in order. */
export async function writeShards(
  db: Queryable,
  dataset: StoredDataset,
  settings: DatasetSettings,
  { folder, signal, onProgress }: ShardsOptions,
): Promise<string[]> {
  const order = toExportOrder({ format: 'parquet' }, settings.rules)
  const source: ExportSource = {
    ...{ db, dataset, settings, order, signal, onProgress },
    recordNos: null,
    usernames: new Map(),
  }
  const columns = await listTypedColumns(source)
  const paths: string[] = []
  let shard: ParquetFileWriter | null = null
  for await (const records of readPages(source, ALL_RELATIONS)) {
    if (!shard) {
      const path = join(folder, `${paths.length}.parquet`)
      paths.push(path)
      shard = createParquetWriter(fileWriter(path), columns)
    }
    shard.add(toRows(records, order))
    if (shard.bytes() > SHARD_BYTES_MAX) {
      shard.end()
      shard = null
    }
  }
  shard?.end()
  return paths
}
