/**
 * A piece of a space: rows of 32-bit floats of length 1 in a WebAssembly memory, scored by scan.wat.
 *
 * The memory holds, one after the other: the query, a place where a stored vector of 64-bit floats is put before it is
 * made a row, the scores, and the rows. It grows with the rows, in place. A space of any size is a list of blocks, since
 * one memory ends at 4 GiB.
 */
import { readFileSync } from 'node:fs'

/** The part of WebAssembly that is used here; its types come with a browser's library only. */
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
  /** Bytes of memory taken. */
  bytes(): number
  /** Writes a row from a stored vector; the rows before it must be there. */
  put(row: number, value: Uint8Array): void
  copy(row: number, from: Block, fromRow: number): void
  view(row: number): Float32Array
  /** Sets the query of the next scores, already of length 1. */
  ask(query: Float64Array): void
  /** Scores of the first `count` rows. They are overwritten by the next scan. */
  scan(count: number): Float32Array
  score(row: number): number
}

const PAGE_BYTES = 65_536
const BLOCK_BYTES_MAX = 256 * 1024 * 1024
const BLOCK_ROWS_MAX = 131_072
/** Rows are read in pieces of 16 floats, and scanned four at a time. */
const PIECE_FLOATS = 16
const GROUP_ROWS = 4

const scanModule = new WebAssembly.Module(readFileSync(new URL('./scan.wasm', import.meta.url)))

/** Length of a row in memory, in floats. */
export const paddedLength = (dimensions: number): number => Math.ceil(dimensions / PIECE_FLOATS) * PIECE_FLOATS

export function openBlock(dimensions: number): Block {
  const wasm = new WebAssembly.Instance(scanModule).exports as ScanExports
  const length = paddedLength(dimensions)
  const rowBytes = length * 4
  const fitting = Math.floor(BLOCK_BYTES_MAX / rowBytes / GROUP_ROWS) * GROUP_ROWS
  const rowsMax = Math.max(GROUP_ROWS, Math.min(BLOCK_ROWS_MAX, fitting))
  const stored = rowBytes
  const storedEnd = stored + length * 8
  const scores = storedEnd
  const rows = scores + Math.ceil((rowsMax * 4) / 64) * 64
  const rowAt = (row: number) => rows + row * rowBytes
  const end = rowAt(rowsMax)

  const reserve = (bytes: number) => {
    const taken = wasm.memory.buffer.byteLength
    if (bytes <= taken) return
    const wanted = Math.max(bytes, Math.min(end, taken * 1.5))
    wasm.memory.grow(Math.ceil((wanted - taken) / PAGE_BYTES))
  }
  reserve(rowAt(GROUP_ROWS))
  // Made anew when the memory has grown: views of the old one are empty then.
  let bytes = new Uint8Array(wasm.memory.buffer)
  const bytesNow = () => {
    if (bytes.byteLength === 0) bytes = new Uint8Array(wasm.memory.buffer)
    return bytes
  }
  const view = (row: number) => new Float32Array(wasm.memory.buffer, rowAt(row), length)

  return {
    rowsMax,
    bytes: () => wasm.memory.buffer.byteLength,
    put(row, value) {
      // A whole group is reserved, since the scan reads to its end.
      if (row % GROUP_ROWS === 0) reserve(rowAt(row + GROUP_ROWS))
      bytesNow().set(value, stored)
      if (wasm.normalise(stored, storedEnd, rowAt(row)) === 1) return
      const numbers = new Float64Array(wasm.memory.buffer, stored, dimensions)
      if (scaleToOne(numbers)) wasm.normalise(stored, storedEnd, rowAt(row))
      else view(row).fill(0)
    },
    copy: (row, from, fromRow) => view(row).set(from.view(fromRow)),
    view,
    ask: query => new Float32Array(wasm.memory.buffer, 0, dimensions).set(query),
    scan(count) {
      wasm.scan(0, rows, rowBytes, Math.ceil(count / GROUP_ROWS), scores)
      return new Float32Array(wasm.memory.buffer, scores, count)
    },
    score: row => wasm.score(0, rowAt(row), rowBytes),
  }
}

/** Divides by the largest magnitude, so that squares neither overflow nor vanish; false if that is zero or no number. */
export function scaleToOne(numbers: Float64Array): boolean {
  const largest = numbers.reduce((max, number) => Math.max(max, Math.abs(number)), 0)
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) return false
  for (const [index, number] of numbers.entries()) numbers[index] = number / largest
  return true
}
