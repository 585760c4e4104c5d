/**
 * A block of a vector space: unit vectors as rows of 16-bit integers in a WebAssembly memory, scored by scan.wat.
 *
 * A scan is limited by memory bandwidth. 16-bit integers need half the bandwidth of 32-bit floats, and their sums are exact. The
 * memory contains, in this order: the query, a buffer for a vector of 64-bit floats that is converted to a row, the scores, and
 * the rows. It grows in place. A space is a list of blocks, because one memory is limited to 4 GiB.
 */
import { readFileSync } from 'node:fs'

/** The part of WebAssembly that is used here. TypeScript declares it only in its browser library. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: unknown }
}

interface ScanExports {
  memory: { buffer: ArrayBuffer; grow(pages: number): number }
  scan(query: number, row: number, rowBytes: number, groups: number, scores: number): void
  score(query: number, row: number, rowBytes: number): number
  normalise(from: number, end: number, to: number): number
}

export interface Block {
  rowsMax: number
  /** Allocated memory in bytes. */
  bytes(): number
  /** Writes a row from a stored vector. All rows before it must have been written. */
  put(row: number, value: Uint8Array): void
  copy(row: number, from: Block, fromRow: number): void
  view(row: number): Int16Array
  /** Sets the query for the following calls of `scan` and `score`. */
  setQuery(query: Float64Array): void
  /** Returns the scores of the first `count` rows in units of 1 / SCORE_ONE. The next scan overwrites them. */
  scan(count: number): Int32Array
  score(row: number): number
}

/** Length of a row and of the query as integer vectors. scan.wat uses the same value. */
export const ROW_LENGTH = 32_767
/** The score of two vectors of the same direction, except for rounding. */
export const SCORE_ONE = ROW_LENGTH ** 2

const PAGE_BYTES = 65_536
const BLOCK_ROWS_MAX = 131_072
/** Rows are read in units of 64 bytes and scanned four at a time. */
const PIECE_NUMBERS = 32
const GROUP_ROWS = 4

const scanModule = new WebAssembly.Module(readFileSync(new URL('./scan.wasm', import.meta.url)))

export function createBlock(dimensions: number, bytesMax: number): Block {
  const wasm = new WebAssembly.Instance(scanModule).exports as ScanExports
  const numbers = Math.ceil(dimensions / PIECE_NUMBERS) * PIECE_NUMBERS
  const rowBytes = numbers * 2
  const fitting = Math.floor(bytesMax / rowBytes / GROUP_ROWS) * GROUP_ROWS
  const rowsMax = Math.max(GROUP_ROWS, Math.min(BLOCK_ROWS_MAX, fitting))
  const stored = rowBytes
  const scores = stored + numbers * 8
  const rows = Math.ceil((scores + rowsMax * 4) / 64) * 64
  const rowAt = (row: number) => rows + row * rowBytes

  const reserve = (bytes: number) => {
    const taken = wasm.memory.buffer.byteLength
    if (bytes <= taken) return
    const wanted = Math.max(bytes, Math.min(rowAt(rowsMax), taken * 1.5))
    wasm.memory.grow(Math.ceil((wanted - taken) / PAGE_BYTES))
  }
  reserve(rowAt(GROUP_ROWS))
  let bytes = new Uint8Array(wasm.memory.buffer)
  const write = (at: number, value: Uint8Array) => {
    // Growing the memory detaches existing views.
    if (bytes.byteLength === 0) bytes = new Uint8Array(wasm.memory.buffer)
    bytes.set(value, stored)
    if (wasm.normalise(stored, scores, at) === 1) return
    const floats = new Float64Array(wasm.memory.buffer, stored, dimensions)
    if (scaleToOne(floats)) wasm.normalise(stored, scores, at)
    else bytes.fill(0, at, at + rowBytes)
  }
  const view = (row: number) => new Int16Array(wasm.memory.buffer, rowAt(row), numbers)

  return {
    rowsMax,
    bytes: () => wasm.memory.buffer.byteLength,
    put(row, value) {
      // Reserves a whole group, because the scan reads to its end.
      if (row % GROUP_ROWS === 0) reserve(rowAt(row + GROUP_ROWS))
      write(rowAt(row), value)
    },
    copy: (row, from, fromRow) => view(row).set(from.view(fromRow)),
    view,
    setQuery: query => write(0, new Uint8Array(query.buffer, query.byteOffset, query.byteLength)),
    scan(count) {
      wasm.scan(0, rows, rowBytes, Math.ceil(count / GROUP_ROWS), scores)
      return new Int32Array(wasm.memory.buffer, scores, count)
    },
    score: row => wasm.score(0, rowAt(row), rowBytes),
  }
}

/**
 * Divides by the largest magnitude, so that squares neither overflow nor underflow. Returns false if it is zero or not finite.
 */
export function scaleToOne(numbers: Float64Array): boolean {
  const largest = numbers.reduce((max, number) => Math.max(max, Math.abs(number)), 0)
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) return false
  for (const [index, number] of numbers.entries()) numbers[index] = number / largest
  return true
}
