/**
 * Nearest vectors, exactly. A scan of all vectors in 16 bits proposes candidates, best first; each is looked up in the
 * database and scored again from what is stored. It ends when no vector that is left can be among the k best, even if the
 * scan erred by as much as it can (cosine.ts).
 *
 * Each thread has an index of its own and shares nothing: the caller's snapshot is all that decides the answer.
 */
import { marks, type Queryable } from '../../../storage/database.ts'
import { RecentlyUsed } from '../recently-used.ts'
import { SCORE_ONE } from './block.ts'
import { scanErrorMax, similarity, toQuery, toScore } from './cosine.ts'
import { NO_SCORE, type Ranking, rankScores } from './ranking.ts'
import { bury, bytesOf, catchUp, listStored, openSpace, type Space, scanAll, scanRows, sweep } from './space.ts'

export interface NearestRequest {
  settingsNo: number
  dimensions: number
  vector: readonly number[]
  order: 'most_similar' | 'least_similar'
  k: number
  excludeRecordNo: number | null
  /** The only candidates, when they are few. */
  only: readonly number[] | null
  /** Which of these records pass the filters; asked in batches, best candidates first. */
  keep: ((recordNos: readonly number[]) => Promise<Set<number>>) | null
}

export interface Neighbour {
  recordNo: number
  /** From 0 to 1, the higher the better in either order. */
  score: number
}

export interface VectorIndex {
  /**
   * The k best, by score and then by record number. `db` is a snapshot of committed data: of a transaction that is
   * rolled back later, the index would keep what never was. `keep` must not ask this index in turn.
   */
  nearest(db: Queryable, request: NearestRequest): Promise<Neighbour[]>
}

type Spaces = RecentlyUsed<number, Space>

interface Limits {
  /** Of all spaces; one alone may be as large as it is. */
  bytesMax: number
  /** Of one WebAssembly memory. */
  blockBytesMax: number
}

const LIMITS: Limits = { bytesMax: 1024 * 1024 * 1024, blockBytesMax: 256 * 1024 * 1024 }
/** Each memory reserves gigabytes of addresses, of which a process has not endlessly many. */
const SPACES_MAX = 64
/** Candidates looked up beyond k at first: mostly enough to see that the rest is out of reach. */
const MARGIN = 8
const FILTERED_MIN = 64
const TAKEN_GROWTH = 4
const TAKEN_MAX = 16_384
/** Candidates of one question to the database. */
const BATCH_MAX = 1024
/** Deleted vectors met in one call that make it worth looking for all of them. */
const GONE_MANY = 256

/** An index that forgets spaces that are not used for a while, and the least recently used ones when they take too much memory. */
export function openVectorIndex(limits: Limits = LIMITS): VectorIndex {
  const spaces = new RecentlyUsed<number, Space>()
  // One call at a time: the scores of a space are those of the call under way.
  let turns: Promise<unknown> = Promise.resolve()
  const nearest = async (db: Queryable, request: NearestRequest) => {
    const space = await takeSpace(spaces, db, { ...request, blockBytesMax: limits.blockBytesMax })
    await catchUp(space, db)
    forgetOldest(spaces, limits.bytesMax)
    return findNearest(space, db, request)
  }
  return {
    nearest(db, request) {
      const turn = turns.then(() => nearest(db, request))
      turns = turn.catch(() => {})
      return turn
    },
  }
}

async function takeSpace(spaces: Spaces, db: Queryable, options: Parameters<typeof openSpace>[0]): Promise<Space> {
  const { settingsNo, dimensions, blockBytesMax } = options
  const known = spaces.take(settingsNo)
  if (known === null) await forgetDeleted(spaces, db)
  const space = known ?? openSpace({ settingsNo, dimensions, blockBytesMax })
  spaces.put(settingsNo, space)
  return space
}

/** Spaces whose settings were deleted: nobody asks for them again. */
async function forgetDeleted(spaces: Spaces, db: Queryable): Promise<void> {
  if (spaces.size === 0) return
  const known = spaces.keys()
  const text = `select no from vectors_settings where no in (${marks(known)}) order by no`
  const stored = new Set((await db.sql.all<{ no: number }>(text, known)).map(row => row.no))
  for (const no of known) if (!stored.has(no)) spaces.drop(no)
}

function forgetOldest(spaces: Spaces, bytesMax: number): void {
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
  const query = toQuery(request.vector, request.order)
  const errorMax = scanErrorMax(space.dimensions)
  const candidates = openCandidates(space, query, request)
  const best: Neighbour[] = []
  let gone = 0
  let size = request.keep ? Math.max(FILTERED_MIN, 2 * request.k) : request.k + MARGIN
  for (;;) {
    const rows = candidates.take(size)
    if (rows.length === 0) break
    // Many equal vectors come at once, however few were asked for.
    for (let from = 0; from < rows.length; from += BATCH_MAX) {
      const kept = await keepRows(space, rows.slice(from, from + BATCH_MAX), request.keep)
      gone += await lookAgain(space, db, { rows: kept, query, k: request.k, best })
    }
    const worst = best[request.k - 1]
    // An equal score could still win by its record number, so only a lower one is out of reach.
    if (worst && toScore(candidates.ceiling() / SCORE_ONE + errorMax) < worst.score) break
    size = Math.min(TAKEN_MAX, size * TAKEN_GROWTH)
  }
  if (gone >= GONE_MANY) await sweep(space, db)
  return best
}

/** Scores rows from what is stored and puts them among the best; answers how many are stored no more. */
async function lookAgain(
  space: Space,
  db: Queryable,
  { rows, query, k, best }: { rows: readonly number[]; query: Float64Array; k: number; best: Neighbour[] },
): Promise<number> {
  if (rows.length === 0) return 0
  const stored = await listStored(space, db, rows)
  for (const row of rows) {
    const value = stored.get(space.vectorNos[row] as number)
    if (value) best.push({ recordNo: space.recordNos[row] as number, score: similarity(query, value) })
    else bury(space, row)
  }
  best.sort((a, b) => b.score - a.score || a.recordNo - b.recordNo)
  best.length = Math.min(best.length, k)
  return rows.length - stored.size
}

/** The rows that come into question, best first by the scan. */
function openCandidates(space: Space, query: Float64Array, request: NearestRequest): Ranking {
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

/** The rows of these records, each once, in the order of memory: that is how they are read fastest. */
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
