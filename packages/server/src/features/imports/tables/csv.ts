/**
 * Streaming reader for CSV and TSV (RFC 4180). Reports an invalid row and continues with the next one; after an unclosed quote it
 * continues with the next line.
 */
import type { Encoding } from '@postil/domain/imports'
import { createDecoder, createWindow, readChunks, skipLine, toShown, type Window } from './bytes.ts'
import { type ByteFile, ROW_BYTES_MAX } from './table.ts'

export interface CsvOptions {
  encoding: Encoding
  /** One ASCII character each. */
  separator: string
  quote: string
}

/** Null if there is nothing between the separators, not even quotes. */
export type CsvCell = string | null

export interface CsvRecord {
  cells: CsvCell[] | null
  /** True if all values are quoted. */
  isQuoted: boolean
  /** Why the record has no cells; null otherwise. */
  reason: string | null
  /** Beginning of a record without cells. */
  shown: string | null
  /** Position of the first byte after the record. */
  end: number
}

const [LF, CR] = [0x0a, 0x0d]

/** `brokenAt` is the position of the quote that text follows. `again`: unclosed like the record before. */
type FoundEnd = { end: number; next: number; brokenAt: number | null } | 'more' | 'unclosed' | 'again'

interface Scan {
  separator: number
  quote: number
  isEnd: boolean
  /** Position up to which an earlier record was searched that is unclosed, or broken. */
  searched: number
  wasBroken: boolean
}

/**
 * Finds the end of the record at the start of the bytes: `end` excludes its line end, `next` includes it. A quoted value that
 * reaches a line end before `searched` is rejected like the earlier record, which was inside of a value there too. Without this,
 * the same bytes would be searched once per line.
 */
function findEnd(bytes: Buffer, { separator, quote, isEnd, searched, wasBroken }: Scan): FoundEnd {
  const line = searched > 0 ? bytes.subarray(0, searched).indexOf(LF) : -1
  const closable = line === -1 ? bytes : bytes.subarray(0, line + 1)
  let isFieldStart = true
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === LF) return { end: at, next: at + 1, brokenAt: null }
    if (byte === CR) {
      if (at + 1 === bytes.length && !isEnd) return 'more'
      return { end: at, next: bytes[at + 1] === LF ? at + 2 : at + 1, brokenAt: null }
    }
    if (isFieldStart && byte === quote) {
      const close = findClose(closable, at + 1, quote)
      if (close === -1 && line !== -1) return wasBroken ? toBrokenRecord(bytes, isEnd, line) : 'again'
      if (close === -1 || (close + 1 === bytes.length && !isEnd)) return isEnd ? 'unclosed' : 'more'
      const after = bytes[close + 1]
      if (after !== undefined && after !== separator && after !== LF && after !== CR) return toBrokenRecord(bytes, isEnd, close)
      at = close
      isFieldStart = false
    } else isFieldStart = byte === separator
  }
  return isEnd ? { end: bytes.length, next: bytes.length, brokenAt: null } : 'more'
}

/** Finds the quote that closes a value: the next one not followed by another quote. */
function findClose(bytes: Buffer, start: number, quote: number): number {
  let at = bytes.indexOf(quote, start)
  while (at !== -1 && bytes[at + 1] === quote) at = bytes.indexOf(quote, at + 2)
  return at
}

/** Text follows a quoted value, often because a quote is missing. The record is limited to the line in which it starts. */
function toBrokenRecord(bytes: Buffer, isEnd: boolean, brokenAt: number): FoundEnd {
  const at = bytes.indexOf(LF)
  if (at === -1) return isEnd ? { end: bytes.length, next: bytes.length, brokenAt } : 'more'
  return { end: at, next: at + 1, brokenAt }
}

/** Splits a record into its values. */
export function splitCells(text: string, { separator, quote }: Pick<CsvOptions, 'separator' | 'quote'>): CsvCell[] {
  if (!text.includes(quote)) return text.split(separator).map(toCell)
  const cells: CsvCell[] = []
  let at = 0
  for (;;) {
    if (text[at] === quote) {
      let close = text.indexOf(quote, at + 1)
      while (text[close + 1] === quote) close = text.indexOf(quote, close + 2)
      cells.push(text.slice(at + 1, close).replaceAll(quote + quote, quote))
      at = close + 1
    } else {
      const end = text.indexOf(separator, at)
      cells.push(toCell(text.slice(at, end === -1 ? undefined : end)))
      at = end === -1 ? text.length : end
    }
    if (at >= text.length) return cells
    at++
  }
}

const toCell = (text: string): CsvCell => (text === '' ? null : text)

/** Streams the records from a byte position on. Empty lines are skipped. */
export async function* readCsv(file: ByteFile, options: CsvOptions, from: number): AsyncGenerator<CsvRecord> {
  const window = createWindow(readChunks(file, options.encoding, from), from)
  const decode = createDecoder(options.encoding)
  const [separator, quote] = [options.separator, options.quote].map(character => character.charCodeAt(0)) as [number, number]
  /** Position up to which a record that was rejected for its quotes was searched. */
  let failed = { until: 0, isBroken: false }
  const fail = (count: number, isBroken: boolean) => {
    if (window.offset + count > failed.until) failed = { until: window.offset + count, isBroken }
  }
  for (;;) {
    window.use(countLineEnds(window.bytes))
    if (window.bytes.length === 0 && window.isEnd) return
    const scan = { separator, quote, isEnd: window.isEnd, searched: failed.until - window.offset, wasBroken: failed.isBroken }
    const found = findEnd(window.bytes, scan)
    if (found === 'more' && window.bytes.length <= ROW_BYTES_MAX) await window.more()
    else if (typeof found === 'string') {
      if (found !== 'again') fail(window.bytes.length, false)
      yield await rejectRecord(window, quote, window.isEnd)
    } else {
      const bytes = window.bytes.subarray(0, found.end)
      const end = window.offset + found.next
      if (found.brokenAt !== null) fail(found.brokenAt, true)
      window.use(found.next)
      if (found.brokenAt !== null)
        yield {
          cells: null,
          isQuoted: false,
          reason: 'There is text after the quote that ends a value',
          shown: toShown(bytes),
          end,
        }
      else if (bytes.length > 0) yield toRecord(decode(bytes), bytes, options, end)
    }
  }
}

function countLineEnds(bytes: Buffer): number {
  let count = 0
  while (bytes[count] === LF || bytes[count] === CR) count++
  return count
}

function toRecord(text: string | null, bytes: Uint8Array, options: CsvOptions, end: number): CsvRecord {
  if (text !== null) {
    const cells = splitCells(text, options)
    return { cells, isQuoted: isAllQuoted(text, cells, options), reason: null, shown: null, end }
  }
  return { cells: null, isQuoted: false, reason: `The row is not ${options.encoding} text`, shown: toShown(bytes), end }
}

/** As long as with quotes around each value. */
function isAllQuoted(text: string, cells: readonly CsvCell[], { quote }: CsvOptions): boolean {
  if (!text.startsWith(quote) || !text.endsWith(quote)) return false
  const lengths = cells.map(cell => (cell === null ? 0 : cell.replaceAll(quote, quote + quote).length + 2))
  return !cells.includes(null) && lengths.reduce((sum, length) => sum + length, cells.length - 1) === text.length
}

/** Rejects a record that has no end or is too large. It is limited to the line in which it starts. */
async function rejectRecord(window: Window, quote: number, isUnclosed: boolean): Promise<CsvRecord> {
  const shown = toShown(window.bytes)
  const line = window.bytes.indexOf(LF)
  const isQuoted = isUnclosed || (line !== -1 && window.bytes.subarray(0, line).includes(quote))
  await skipLine(window)
  const size = `${ROW_BYTES_MAX / 1024 ** 2} MiB`
  const reason = isUnclosed
    ? 'A quote begins a value and never ends'
    : isQuoted
      ? `A quote begins a value and does not end within ${size}`
      : `The row is larger than ${size}`
  return { cells: null, isQuoted: false, reason, shown, end: window.offset }
}
