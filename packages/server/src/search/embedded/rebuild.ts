/** Rebuilds, verifies and removes the stored part of the index, which is its text segments. */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import { deleteSegmentsUpTo, deleteSomeSegments } from '../../storage/text-segments.ts'
import type { IndexedDataset, Progress, Verification } from '../engine.ts'
import { buildSegments } from '../source/build-segments.ts'
import { type AffectedRecords, type SegmentDifferences, verifySegments } from '../source/verify-segments.ts'

/** Number of segments that one statement of a reindex deletes. */
const REPLACED_MAX = 20
/** Number of segments of a deleted dataset that one step of a job deletes. A segment can have 32 MiB. */
const DROPPED_MAX = 1

/** Builds new segments that supersede the old ones, and then deletes the old ones. */
export async function reindex(ctx: Context, dataset: IndexedDataset, progress: Progress): Promise<number> {
  const done = await buildSegments(ctx, dataset, { after: 0, progress })
  const old = { last: dataset.changeNo, limit: REPLACED_MAX }
  while ((await deleteSegmentsUpTo(ctx.db, dataset.id, old)) === REPLACED_MAX);
  return done
}

export async function verify(snapshot: Queryable, dataset: IndexedDataset, progress: Progress): Promise<Verification> {
  const found = await verifySegments(snapshot, dataset, progress)
  return { records: found.records, differences: toSentences(found) }
}

export const drop = async (db: Queryable, datasetId: Id): Promise<boolean> =>
  (await deleteSomeSegments(db, datasetId, DROPPED_MAX)) < DROPPED_MAX

function toSentences({ different, missing, damaged }: SegmentDifferences): string[] {
  return [
    ...damaged.map(({ segmentNo, reason }) => `text segment ${segmentNo} cannot be used: ${reason}`),
    ...toSentence(different, 'differs'),
    ...toSentence(missing, 'is missing'),
  ]
}

const toSentence = ({ count, first }: AffectedRecords, verb: string): string[] =>
  first === null ? [] : [`text of ${count} records ${verb}, first record number ${first}`]
