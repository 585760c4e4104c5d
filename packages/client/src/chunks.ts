import { DomainError, ShapeError } from '@postil/domain/errors'

export type Many<T> = Iterable<T> | AsyncIterable<T>

export interface ChunkOptions {
  /** Number of items per call, limited to the maximum of the server. */
  batchSize?: number
  /** Called after each call with the number of items sent so far. */
  onProgress?: (done: number) => void
}

/**
 * Sends items in order, one chunk per call, and returns their number.
 *
 * Each chunk is stored completely or not at all. If one fails, the chunks before it remain stored. The error's path contains the
 * position in `items`, not in the chunk.
 */
export async function sendInChunks<T>(
  items: Many<T>,
  { batchSize, batchSizeMax, onProgress }: ChunkOptions & { batchSize: number; batchSizeMax: number },
  sendChunk: (chunk: T[], start: number) => Promise<void>,
): Promise<number> {
  let done = 0
  for await (const chunk of chunksOf(items, Math.max(1, Math.min(batchSize, batchSizeMax)))) {
    try {
      await sendChunk(chunk, done)
    } catch (error) {
      throw moveError(error, done)
    }
    done += chunk.length
    onProgress?.(done)
  }
  return done
}

async function* chunksOf<T>(items: Many<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = []
  for await (const item of items) {
    chunk.push(item)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

function moveError(error: unknown, start: number): unknown {
  if (error instanceof DomainError) return new DomainError(error.code, error.message, movePath(error.at, start))
  if (!(error instanceof ShapeError)) return error
  return new ShapeError(error.problems.map(problem => ({ ...problem, loc: movePath(problem.loc, start) })))
}

/** For example, `items.3` of the second chunk of 100 becomes `items.103`. */
const movePath = (path: readonly (string | number)[], start: number) =>
  path.map((step, index) => (typeof step === 'number' && path[index - 1] === 'items' && index <= 2 ? step + start : step))
