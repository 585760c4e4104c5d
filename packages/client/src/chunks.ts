import { DomainError, ShapeError } from '@postil/domain/errors'

export type Many<T> = Iterable<T> | AsyncIterable<T>

export interface ChunkOptions {
  /** How many are sent in one call; what the server takes at most, if that is less. */
  batchSize?: number
  /** Called after each call, with how many are done so far. */
  onProgress?: (done: number) => void
}

/**
 * Sends many things in order, a chunk a call, and answers how many there were.
 *
 * A chunk is stored as a whole or not at all; when one fails, those before it stay. The error names the position in all of
 * `items`, not in the chunk.
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

/** `items.3` of the second hundred is `items.103`. */
const movePath = (path: readonly (string | number)[], start: number) =>
  path.map((step, index) => (typeof step === 'number' && path[index - 1] === 'items' && index <= 2 ? step + start : step))
