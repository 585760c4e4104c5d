import type { Context } from '../../context.ts'
import { addChange } from '../../storage/heads.ts'
import { write } from '../../storage/write.ts'
import { type ReadDataset, readTexts } from './read-texts.ts'
import { storeSegment } from './store-segment.ts'

interface BuildOptions {
  /** Builds the texts of records with higher numbers. */
  after: number
  /** Told after each piece how many records are done. */
  progress(done: number): void
}

/**
 * Stores the texts of records that exist as new segments, which replace what older segments hold of these records. Returns how many
 * records there were.
 *
 * Each piece is a transaction of its own with an entry of the log, from which its segment gets its number. So the work can be
 * interrupted at any time, and searches are right at every moment.
 */
export async function buildSegments(ctx: Context, dataset: ReadDataset, { after, progress }: BuildOptions): Promise<number> {
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

function buildPiece(ctx: Context, dataset: ReadDataset, after: number): Promise<{ records: number; last: number } | null> {
  return write(ctx, async tx => {
    const documents = await readTexts(tx, dataset, { after, isLocked: true })
    const last = documents.at(-1)
    if (last === undefined) return null
    storeSegment(tx, dataset.id, documents)
    addChange(tx, dataset.id, { event: 'dataset.indexed' })
    return { records: documents.length, last: last.recordNo }
  })
}
