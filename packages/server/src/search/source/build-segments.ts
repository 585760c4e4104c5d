import type { Context } from '../../context.ts'
import { addChange } from '../../storage/heads.ts'
import { write } from '../../storage/write.ts'
import { type DatasetWithSettings, readTexts } from './read-texts.ts'
import { storeSegment } from './store-segment.ts'

interface BuildOptions {
  /** Only records with higher numbers are indexed. */
  after: number
  /** Called after each batch with the number of processed records. */
  progress(done: number): void
}

/**
 * Stores the texts of existing records as new segments, which supersede the older segments for these records. Returns the number
 * of records.
 *
 * Each batch is a separate transaction with a log entry, from which its segment gets its number. The work can therefore be
 * interrupted at any time, and searches are always correct.
 */
export async function buildSegments(
  ctx: Context,
  dataset: DatasetWithSettings,
  { after, progress }: BuildOptions,
): Promise<number> {
  let done = 0
  let reached = after
  for (;;) {
    const piece = await buildPiece(ctx, dataset, reached)
    if (piece === null) return done
    done += piece.records
    reached = piece.last
    progress(done)
  }
}

function buildPiece(
  ctx: Context,
  dataset: DatasetWithSettings,
  after: number,
): Promise<{ records: number; last: number } | null> {
  return write(ctx, async tx => {
    const documents = await readTexts(tx, dataset, { after, isLocked: true })
    const last = documents.at(-1)
    if (last === undefined) return null
    storeSegment(tx, dataset.id, documents)
    addChange(tx, dataset.id, { event: 'dataset.indexed' })
    return { records: documents.length, last: last.recordNo }
  })
}
