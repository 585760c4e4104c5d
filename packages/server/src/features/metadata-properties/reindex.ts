/**
 * Makes values that records hold already filterable by a property that was added later, in the order of record numbers.
 *
 * Values that the property's type refuses stay what they were: extra metadata, shown but not filterable. A value that is
 * there already is left alone, so a piece may run twice.
 */
import { metadataTypeOf } from '@postil/domain/metadata/registry'
import type { Id } from '@postil/domain/schema'
import { metadataValues } from '@postil/domain/search/document'
import type { JobStep } from '../../jobs/all.ts'
import { type Tx, write } from '../../storage/write.ts'
import { insertMetadataValues, type MetadataValue } from '../records/metadata-store.ts'
import { findMetadataProperty, listMetadataAfter, type StoredMetadataProperty } from './store.ts'

const BATCH_MAX = 1000

interface Progress {
  dataset_id: Id
  property_id: Id
  /** Records up to this number are done. */
  after: number
}

export const reindexMetadata: JobStep<Progress> = (ctx, progress) => write(ctx, tx => reindexPiece(tx, progress))

/** Does the next records inside a transaction; answers where to go on, or null when all are done. */
export async function reindexPiece(tx: Tx, progress: Progress): Promise<Progress | null> {
  const property = await findMetadataProperty(tx, progress.property_id)
  if (!property) return null
  const records = await listMetadataAfter(tx, progress.dataset_id, { after: progress.after, limit: BATCH_MAX })
  await insertMetadataValues(
    tx,
    records.flatMap(({ no, metadata }) => toValues(property, no, metadata)),
  )
  const last = records.at(-1)
  return last && records.length === BATCH_MAX ? { ...progress, after: last.no } : null
}

function toValues(property: StoredMetadataProperty, recordNo: number, metadata: string): MetadataValue[] {
  const found = metadataValues(JSON.parse(metadata), { ...property, type: metadataTypeOf(property.settings) })
  return found.map(value => ({ property_no: property.no, record_no: recordNo, value }))
}
