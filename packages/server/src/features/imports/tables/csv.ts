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

export interface CsvRecord {
  cells: string[] | null
  /** Why the record has no cells; null otherwise. */
  reason: string | null
  /** Beginning of a record without cells. */
  shown: string | null
  /** Position of the first byte after the record. */
  end: number
}

const [LF, CR] = [0x0a, 0x0d]

type FoundEnd = { end: number; next: number; isBroken: boolean } | 'more' | 'unclosed'

/** Finds the end of the record at the start of the bytes: `end` excludes its line end, `next` includes it. */
function findEnd(bytes: Buffer, separator: number, quote: number, isEnd: boolean): FoundEnd {
  let isFieldStart = true
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === LF) return { end: at, next: at + 1, isBroken: false }
    if (byte === CR) {
      if (at + 1 === bytes.length && !isEnd) return 'more'
      return { end: at, next: bytes[at + 1] === LF ? at + 2 : at + 1, isBroken: false }
    }
    if (isFieldStart && byte === quote) {
      const close = findClose(bytes, at + 1, quote)
      if (close === -1 || (close + 1 === bytes.length && !isEnd)) return isEnd ? 'unclosed' : 'more'
      const after = bytes[close + 1]
      if (after !== undefined && after !== separator && after !== LF && after !== CR) return toBrokenRecord(bytes, isEnd)
      at = close
      isFieldStart = false
    } else isFieldStart = byte === separator
  }
  return isEnd ? { end: bytes.length, next: bytes.length, isBroken: false } : 'more'
}

/** Finds the quote that closes a value: the next one not followed by another quote. */
function findClose(bytes: Buffer, start: number, quote: number): number {
  let at = bytes.indexOf(quote, start)
  while (at !== -1 && bytes[at + 1] === quote) at = bytes.indexOf(quote, at + 2)
  return at
}

/** Text follows a quoted value, often because a quote is missing. The record is limited to the line in which it starts. */
function toBrokenRecord(bytes: Buffer, isEnd: boolean): FoundEnd {
  const at = bytes.indexOf(LF)
  if (at === -1) return isEnd ? { end: bytes.length, next: bytes.length, isBroken: true } : 'more'
  return { end: at, next: at + 1, isBroken: true }
}

/** Splits a record into its values. */
export function splitCells(text: string, { separator, quote }: Pick<CsvOptions, 'separator' | 'quote'>): string[] {
  if (!text.includes(quote)) return text.split(separator)
  const cells: string[] = []
  let at = 0
  for (;;) {
    if (text[at] === quote) {
      let close = text.indexOf(quote, at + 1)
      while (text[close + 1] === quote) close = text.indexOf(quote, close + 2)
      cells.push(text.slice(at + 1, close).replaceAll(quote + quote, quote))
      at = close + 1
    } else {
      const end = text.indexOf(separator, at)
      cells.push(text.slice(at, end === -1 ? undefined : end))
      at = end === -1 ? text.length : end
    }
    if (at >= text.length) return cells
    at++
  }
}

/** Streams the records from a byte position on. Empty lines are skipped. */
export async function* readCsv(file: ByteFile, options: CsvOptions, from: number): AsyncGenerator<CsvRecord> {
  const window = createWindow(readChunks(file, options.encoding, from), from)
  const decode = createDecoder(options.encoding)
  const [separator, quote] = [options.separator, options.quote].map(character => character.charCodeAt(0)) as [number, number]
  for (;;) {
    if (window.bytes.length === 0 && window.isEnd) return
    const found = findEnd(window.bytes, separator, quote, window.isEnd)
    if (found === 'more' && window.bytes.length <= ROW_BYTES_MAX) await window.more()
    else if (found === 'more' || found === 'unclosed') yield await rejectRecord(window, quote, found === 'unclosed')
    else {
      const bytes = window.bytes.subarray(0, found.end)
      const [isBroken, end] = [found.isBroken, window.offset + found.next]
      window.use(found.next)
      if (isBroken) yield { cells: null, reason: 'There is text after the quote that ends a value', shown: toShown(bytes), end }
      else if (bytes.length > 0) yield toRecord(decode(bytes), bytes, options, end)
    }
  }
}

function toRecord(text: string | null, bytes: Uint8Array, options: CsvOptions, end: number): CsvRecord {
  if (text !== null) return { cells: splitCells(text, options), reason: null, shown: null, end }
  return { cells: null, reason: `The row is not ${options.encoding} text`, shown: toShown(bytes), end }
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
  return { cells: null, reason, shown, end: window.offset }
}
