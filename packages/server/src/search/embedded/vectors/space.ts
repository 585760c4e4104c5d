/**
 * The vectors of one vectors settings, in memory for scanning. The database is the source of truth: a space reads the vectors
 * with numbers that it has not seen, and detects deleted vectors when it looks them up. Writers therefore need not notify it.
 *
 * Rows are in the order of their vectors' numbers. A dead row remains until half of the rows are dead.
 */
import { marks, type Queryable } from '../../../storage/database.ts'
import { type Block, createBlock } from './block.ts'
import { NO_SCORE } from './ranking.ts'

export interface Space {
  settingsNo: number
  dimensions: number
  blockBytesMax: number
  blocks: Block[]
  rows: number
  deadRows: number
  /** By row: the number of the vector, the number of its record (DEAD for a dead row), and its score in the current scan. */
  vectorNos: Float64Array
  recordNos: Float64Array
  scores: Int32Array
  rowOfRecord: Map<number, number>
  lastVectorNo: number
  /** Change number of the dataset at the last catch-up, or null if unknown. */
  changeNo: number | null
}

interface StoredVector {
  no: number
  record_no: number
  value: Uint8Array
}

const DEAD = -1
const ROWS_MIN = 64
/** Limits for one batch of a catch-up. */
const BATCH_BYTES_MAX = 2 * 1024 * 1024
const BATCH_ROWS_MAX = 4096
const SWEEP_ROWS_MAX = 10_000
/** Two numbers, a score and a map entry. */
const BYTES_PER_ROW = 8 + 8 + 4 + 48

export function createSpace(options: Pick<Space, 'settingsNo' | 'dimensions' | 'blockBytesMax'>): Space {
  return {
    ...options,
    blocks: [],
    rows: 0,
    deadRows: 0,
    vectorNos: new Float64Array(ROWS_MIN),
    recordNos: new Float64Array(ROWS_MIN),
    scores: new Int32Array(ROWS_MIN),
    rowOfRecord: new Map(),
    lastVectorNo: 0,
    changeNo: null,
  }
}

export const bytesOf = (space: Space): number =>
  space.blocks.reduce((sum, block) => sum + block.bytes(), 0) + space.vectorNos.length * BYTES_PER_ROW

/** Reads all vectors written since the last call; the first call reads all. */
export async function loadNewVectors(space: Space, db: Queryable): Promise<void> {
  const text = 'select no, record_no, value from vectors where vectors_settings_no = ? and no > ? order by no limit ?'
  const batchRows = Math.max(1, Math.min(BATCH_ROWS_MAX, Math.floor(BATCH_BYTES_MAX / (space.dimensions * 8))))
  for (;;) {
    const batch = await db.sql.all<StoredVector>(text, [space.settingsNo, space.lastVectorNo, batchRows])
    for (const vector of batch) append(space, vector)
    if (batch.length < batchRows) break
  }
  if (space.deadRows * 2 > space.rows) compact(space)
}

function append(space: Space, vector: StoredVector): void {
  space.lastVectorNo = vector.no
  const replaced = space.rowOfRecord.get(vector.record_no)
  if (replaced !== undefined) markDead(space, replaced)
  // Skips a vector of another length, which has no similarity. Such vectors are never written, but a scan would read beyond its
  // row.
  if (vector.value.byteLength !== space.dimensions * 8) return
  const row = space.rows++
  if (row === space.vectorNos.length) enlarge(space)
  const [block, place] = locate(space, row)
  block.put(place, vector.value)
  space.vectorNos[row] = vector.no
  space.recordNos[row] = vector.record_no
  space.rowOfRecord.set(vector.record_no, row)
}

/** Returns the block of a row and the row's index in it. Adds a block if the row after the last one needs it. */
function locate(space: Space, row: number): [block: Block, place: number] {
  const rowsMax = space.blocks[0]?.rowsMax ?? 1
  const position = Math.floor(row / rowsMax)
  const known = space.blocks[position]
  if (known) return [known, row - position * rowsMax]
  const block = createBlock(space.dimensions, space.blockBytesMax)
  space.blocks.push(block)
  return [block, 0]
}

function enlarge(space: Space): void {
  const rows = space.vectorNos.length * 2
  const [vectorNos, recordNos] = [space.vectorNos, space.recordNos]
  space.vectorNos = new Float64Array(rows)
  space.vectorNos.set(vectorNos)
  space.recordNos = new Float64Array(rows)
  space.recordNos.set(recordNos)
  space.scores = new Int32Array(rows)
}

/** Marks a row as dead because its vector is no longer stored. */
export function markDead(space: Space, row: number): void {
  const recordNo = space.recordNos[row] as number
  if (recordNo === DEAD) return
  if (space.rowOfRecord.get(recordNo) === row) space.rowOfRecord.delete(recordNo)
  space.recordNos[row] = DEAD
  space.deadRows++
}

/** Removes dead rows. The others keep their order. */
function compact(space: Space): void {
  let rows = 0
  for (let row = 0; row < space.rows; row++) {
    const recordNo = space.recordNos[row] as number
    if (recordNo === DEAD) continue
    if (rows < row) {
      const [block, place] = locate(space, rows)
      const [fromBlock, fromPlace] = locate(space, row)
      block.copy(place, fromBlock, fromPlace)
      space.vectorNos[rows] = space.vectorNos[row] as number
      space.recordNos[rows] = recordNo
      space.rowOfRecord.set(recordNo, rows)
    }
    rows++
  }
  space.rows = rows
  space.deadRows = 0
  space.blocks.length = Math.min(space.blocks.length, Math.ceil(rows / (space.blocks[0]?.rowsMax ?? 1)))
}

/**
 * Marks all rows whose vectors are no longer stored, in one pass over the stored numbers. Used if many deleted vectors were
 * found.
 */
export async function markAllDead(space: Space, db: Queryable): Promise<void> {
  const text = 'select no from vectors where vectors_settings_no = ? and no > ? order by no limit ?'
  let row = 0
  let last = 0
  for (;;) {
    const stored = await db.sql.all<{ no: number }>(text, [space.settingsNo, last, SWEEP_ROWS_MAX])
    for (const { no } of stored) {
      while (row < space.rows && (space.vectorNos[row] as number) < no) markDead(space, row++)
      if (space.vectorNos[row] === no) row++
      last = no
    }
    if (stored.length < SWEEP_ROWS_MAX) break
  }
  while (row < space.rows) markDead(space, row++)
}

/** Returns the scores of all rows in units of 1 / SCORE_ONE. The next scan overwrites them. */
export function scanAll(space: Space, query: Float64Array): Int32Array {
  let row = 0
  for (const block of space.blocks) {
    const count = Math.min(block.rowsMax, space.rows - row)
    block.setQuery(query)
    space.scores.set(block.scan(count), row)
    row += count
  }
  if (space.deadRows > 0) {
    for (let dead = 0; dead < space.rows; dead++) {
      if (space.recordNos[dead] === DEAD) space.scores[dead] = NO_SCORE
    }
  }
  return space.scores.subarray(0, space.rows)
}

/** Returns the scores of these rows only. */
export function scanRows(space: Space, query: Float64Array, rows: Int32Array): Int32Array {
  for (const block of space.blocks) block.setQuery(query)
  return rows.map(row => {
    const [block, place] = locate(space, row)
    return block.score(place)
  })
}

/** Returns the stored values of these rows' vectors by vector number. Deleted vectors are missing. */
export async function listStored(space: Space, db: Queryable, rows: readonly number[]): Promise<Map<number, Uint8Array>> {
  const nos = rows.map(row => space.vectorNos[row] as number)
  // Padded to a power of two, so that only a few different statements are prepared.
  const padding = 2 ** Math.ceil(Math.log2(nos.length)) - nos.length
  const bound = [...nos, ...new Array<number>(padding).fill(nos[0] as number)]
  const text = `select no, value from vectors where no in (${marks(bound)}) order by no`
  const stored = await db.sql.all<{ no: number; value: Uint8Array }>(text, bound)
  return new Map(stored.map(row => [row.no, row.value]))
}
