/**
 * Exact nearest-neighbour search. A scan of all vectors in 16 bits proposes candidates, best first. Each candidate is read from
 * the database and scored again from its stored value. The search ends when none of the remaining vectors can be among the k
 * best, even with the maximum error of the scan (cosine.ts).
 *
 * Each thread has its own index. Results depend only on the caller's snapshot.
 */
import { marks, type Queryable } from '../../../storage/database.ts'
import { LruCache } from '../lru-cache.ts'
import { SCORE_ONE } from './block.ts'
import { scanErrorMax, similarity, toQueryVector, toScore } from './cosine.ts'
import { NO_SCORE, type Ranking, rankScores } from './ranking.ts'
import {
  bytesOf,
  createSpace,
  listStored,
  loadNewVectors,
  markAllDead,
  markDead,
  type Space,
  scanAll,
  scanRows,
} from './space.ts'

export interface NearestRequest {
  settingsNo: number
  /** Change number of the dataset in `db`. New vectors are read only once for each change number. */
  changeNo?: number
  dimensions: number
  vector: readonly number[]
  order: 'most_similar' | 'least_similar'
  k: number
  excludeRecordNo: number | null
  /** The only candidates, if there are few. */
  only: readonly number[] | null
  /** Returns those of the records that match the filters. Called in batches, best candidates first. */
  keep: ((recordNos: readonly number[]) => Promise<Set<number>>) | null
}

export interface Neighbour {
  recordNo: number
  /** From 0 to 1. Higher is better in both orders. */
  score: number
}

export interface VectorIndex {
  /** True if the last call of `nearest` loaded all vectors that the dataset has at this change number. */
  isAt(settingsNo: number, changeNo: number): boolean
  /**
   * Returns the k best records, by score and then by record number. `db` must be a snapshot of committed data, because the index
   * would keep vectors of a transaction that is rolled back later. `keep` must not call this index.
   */
  nearest(db: Queryable, request: NearestRequest): Promise<Neighbour[]>
}

type Spaces = LruCache<number, Space>

interface Limits {
  /** Limit for all spaces together. A single space may exceed it. */
  bytesMax: number
  /** Limit of one WebAssembly memory. */
  blockBytesMax: number
}

const LIMITS: Limits = { bytesMax: 1024 * 1024 * 1024, blockBytesMax: 256 * 1024 * 1024 }
/** Limited because each memory reserves gigabytes of the process's address space. */
const SPACES_MAX = 64
/** Candidates read beyond k in the first step. Usually enough to exclude all others. */
const MARGIN = 8
const FILTERED_MIN = 64
const TAKEN_GROWTH = 4
const TAKEN_MAX = 16_384
/** Candidates per database query. */
const BATCH_MAX = 1024
/** If one call finds this many deleted vectors, all rows are checked. */
const GONE_MANY = 256

/** Creates an index that drops idle spaces, and the least recently used ones if they exceed the memory limit. */
export function createVectorIndex(limits: Limits = LIMITS): VectorIndex {
  const spaces = new LruCache<number, Space>()
  // Serializes calls, because the scores of a space belong to the current call.
  let turns: Promise<unknown> = Promise.resolve()
  const nearest = async (db: Queryable, request: NearestRequest) => {
    const space = await takeSpace(spaces, db, { ...request, blockBytesMax: limits.blockBytesMax })
    if (request.changeNo === undefined || space.changeNo !== request.changeNo) await loadNewVectors(space, db)
    space.changeNo = request.changeNo ?? null
    evictOldest(spaces, limits.bytesMax)
    return findNearest(space, db, request)
  }
  return {
    isAt(settingsNo, changeNo) {
      return spaces.peek(settingsNo)?.changeNo === changeNo
    },
    nearest(db, request) {
      const turn = turns.then(() => nearest(db, request))
      turns = turn.catch(() => {})
      return turn
    },
  }
}

async function takeSpace(spaces: Spaces, db: Queryable, options: Parameters<typeof createSpace>[0]): Promise<Space> {
  const { settingsNo, dimensions, blockBytesMax } = options
  const known = spaces.take(settingsNo)
  if (known === null) await dropDeleted(spaces, db)
  const space = known ?? createSpace({ settingsNo, dimensions, blockBytesMax })
  spaces.put(settingsNo, space)
  return space
}

/** Drops spaces whose settings were deleted, because they are never searched again. */
async function dropDeleted(spaces: Spaces, db: Queryable): Promise<void> {
  if (spaces.size === 0) return
  const known = spaces.keys()
  const text = `select no from vectors_settings where no in (${marks(known)}) order by no`
  const stored = new Set((await db.sql.all<{ no: number }>(text, known)).map(row => row.no))
  for (const no of known) if (!stored.has(no)) spaces.drop(no)
}

function evictOldest(spaces: Spaces, bytesMax: number): void {
  let bytes = spaces.values().reduce((sum, space) => sum + bytesOf(space), 0)
  for (const [no, space] of spaces.entries()) {
    const isTooMuch = bytes > bytesMax || spaces.size > SPACES_MAX
    if (!isTooMuch || spaces.size === 1) return
    spaces.drop(no)
    bytes -= bytesOf(space)
  }
}

async function findNearest(space: Space, db: Queryable, request: NearestRequest): Promise<Neighbour[]> {
  if (request.k <= 0) return []
  const query = toQueryVector(request.vector, request.order)
  const errorMax = scanErrorMax(space.dimensions)
  const candidates = rankCandidates(space, query, request)
  const best: Neighbour[] = []
  let gone = 0
  let size = request.keep ? Math.max(FILTERED_MIN, 2 * request.k) : request.k + MARGIN
  for (;;) {
    const rows = candidates.take(size)
    if (rows.length === 0) break
    // Batched, because `take` can return many rows if vectors are equal.
    for (let from = 0; from < rows.length; from += BATCH_MAX) {
      const kept = await keepRows(space, rows.slice(from, from + BATCH_MAX), request.keep)
      gone += await scoreExactly(space, db, { rows: kept, query, k: request.k, best })
    }
    const worst = best[request.k - 1]
    // With an equal score, a lower record number could still win, so only lower scores are excluded.
    if (worst && toScore(candidates.ceiling() / SCORE_ONE + errorMax) < worst.score) break
    size = Math.min(TAKEN_MAX, size * TAKEN_GROWTH)
  }
  // Some may have been replaced with vectors that the space has not read yet.
  if (gone > 0) space.changeNo = null
  if (gone >= GONE_MANY) await markAllDead(space, db)
  return best
}

/**
 * Scores rows exactly from their stored values and merges them into `best`. Returns the number of rows whose vectors are no
 * longer stored.
 */
async function scoreExactly(
  space: Space,
  db: Queryable,
  { rows, query, k, best }: { rows: readonly number[]; query: Float64Array; k: number; best: Neighbour[] },
): Promise<number> {
  if (rows.length === 0) return 0
  const stored = await listStored(space, db, rows)
  for (const row of rows) {
    const value = stored.get(space.vectorNos[row] as number)
    if (value) best.push({ recordNo: space.recordNos[row] as number, score: similarity(query, value) })
    else markDead(space, row)
  }
  best.sort((a, b) => b.score - a.score || a.recordNo - b.recordNo)
  best.length = Math.min(best.length, k)
  return rows.length - stored.size
}

/** Returns the candidate rows, best first according to the scan. */
function rankCandidates(space: Space, query: Float64Array, request: NearestRequest): Ranking {
  const { only, excludeRecordNo } = request
  const excluded = excludeRecordNo === null ? undefined : space.rowOfRecord.get(excludeRecordNo)
  if (only === null) {
    const scores = scanAll(space, query)
    if (excluded !== undefined) scores[excluded] = NO_SCORE
    return rankScores(scores)
  }
  const rows = rowsOf(space, only, excluded)
  const ranking = rankScores(scanRows(space, query, rows))
  return { ceiling: ranking.ceiling, take: count => ranking.take(count).map(place => rows[place] as number) }
}

/** Returns the rows of these records, without duplicates and in memory order, in which reading is fastest. */
function rowsOf(space: Space, recordNos: readonly number[], excluded: number | undefined): Int32Array {
  const found = new Int32Array(recordNos.length)
  let count = 0
  for (const recordNo of recordNos) {
    const row = space.rowOfRecord.get(recordNo)
    if (row !== undefined && row !== excluded) found[count++] = row
  }
  return found
    .subarray(0, count)
    .sort()
    .filter((row, place, rows) => row !== rows[place - 1])
}

async function keepRows(space: Space, rows: readonly number[], keep: NearestRequest['keep']): Promise<readonly number[]> {
  if (keep === null) return rows
  const recordNos = rows.map(row => space.recordNos[row] as number)
  const kept = await keep(recordNos)
  return rows.filter((_, index) => kept.has(recordNos[index] as number))
}
