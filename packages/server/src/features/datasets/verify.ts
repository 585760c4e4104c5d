import type { Context } from '../../context.ts'
import { type RecordsFound, type SegmentDifferences, verifySegments } from '../../search/source/verify-segments.ts'
import type { Queryable } from '../../storage/database.ts'
import { countRecords } from '../records/store.ts'
import { loadDatasetSettings } from './settings.ts'
import { loadDataset, type StoredDataset } from './store.ts'

export interface Verification {
  records: number
  /** What differs, in sentences; empty when the index equals the store. */
  differences: string[]
}

/** Compares a dataset's index with its records, one consistent view of both. */
export function verifyDataset(ctx: Context, { id }: StoredDataset, progress: (done: number) => void): Promise<Verification> {
  return ctx.db.snapshot(async db => {
    // Totals of the same moment as the records, which may be written to meanwhile.
    const dataset = await loadDataset(db, id)
    const settings = await loadDatasetSettings(db, dataset)
    const found = await verifySegments(db, { id, settings }, progress)
    return { records: found.records, differences: [...toSentences(found), ...(await compareCounts(db, dataset))] }
  })
}

function toSentences({ different, missing, damaged }: SegmentDifferences): string[] {
  return [
    ...damaged.map(({ segmentNo, reason }) => `text segment ${segmentNo} cannot be used: ${reason}`),
    ...toSentence(different, 'differs'),
    ...toSentence(missing, 'is missing'),
  ]
}

const toSentence = ({ count, first }: RecordsFound, verb: string): string[] =>
  first === null ? [] : [`text of ${count} records ${verb}, first record number ${first}`]

async function compareCounts(db: Queryable, dataset: StoredDataset): Promise<string[]> {
  const { records, completed } = await countRecords(db, dataset.id)
  const same = records === dataset.records_count && completed === dataset.completed_count
  return same
    ? []
    : [`kept totals are ${dataset.records_count} records, ${dataset.completed_count} completed; counted ${records}, ${completed}`]
}
