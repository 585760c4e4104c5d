/** Detects how to read a file from the given options, its name and its first bytes. */
import { isUtf8 } from 'node:buffer'
import type { Encoding, ImportFormat } from '@postil/domain/imports'
import { readCsv } from './csv.ts'
import { type ByteFile, HEAD_BYTES, refuse } from './table.ts'

const FORMAT_OF_EXTENSION: Readonly<Record<string, ImportFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  parquet: 'parquet',
  xlsx: 'excel',
  xlsm: 'excel',
}

const startsWith = (head: Uint8Array, ...bytes: number[]) => bytes.every((byte, index) => head[index] === byte)

/** Checks the first bytes, then the file name, then the text. */
export function detectFormat(name: string, head: Uint8Array): ImportFormat {
  if (startsWith(head, 0x50, 0x41, 0x52, 0x31)) return 'parquet'
  if (startsWith(head, 0x50, 0x4b, 0x03, 0x04)) return 'excel'
  if (startsWith(head, 0xd0, 0xcf, 0x11, 0xe0)) throw refuse('The file is of an old version of Excel (.xls). Save it as .xlsx')
  if (startsWith(head, 0x1f, 0x8b)) throw refuse('The file is compressed (gzip). Unpack it first')
  const extension = /\.(\w+)$/.exec(name.toLowerCase())?.[1] ?? ''
  const known = Object.hasOwn(FORMAT_OF_EXTENSION, extension) ? FORMAT_OF_EXTENSION[extension] : undefined
  if (known === 'parquet' || known === 'excel') {
    const format = known === 'excel' ? 'an Excel workbook (.xlsx)' : 'a Parquet file'
    throw refuse(
      `The content of the file is not ${format}, although its name ends in \`.${extension}\`. Save it as ${format} or CSV`,
    )
  }
  if (known !== undefined) return known
  const text = Buffer.from(head)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  if (text.startsWith('[')) return 'json'
  if (text.startsWith('{')) return /\}[^\S\n]*\n\s*\{/.test(text) && !/^\{\s*\n/.test(text) ? 'jsonl' : 'json'
  return 'csv'
}

export interface DetectedText {
  encoding: Encoding
  /** First byte after a byte order mark, in the offsets of `readChunks`. */
  start: number
  problems: string[]
}

export function detectEncoding(head: Uint8Array, given: Encoding | null | undefined): DetectedText {
  const mark = findMark(head)
  const encoding = given ?? mark ?? guessEncoding(head)
  // The UTF-16 decoder removes the byte order mark itself.
  const start = encoding === 'utf-8' && mark === 'utf-8' ? 3 : 0
  const problems =
    given == null && mark === null && encoding === 'windows-1252' ? ['The file is not UTF-8; it is read as windows-1252'] : []
  if (encoding !== 'utf-16le' && encoding !== 'utf-16be' && head.includes(0) && given == null) {
    throw refuse('The file is not a text: it has NUL characters')
  }
  return { encoding, start, problems }
}

function findMark(head: Uint8Array): Encoding | null {
  if (startsWith(head, 0xef, 0xbb, 0xbf)) return 'utf-8'
  if (startsWith(head, 0xff, 0xfe)) return 'utf-16le'
  if (startsWith(head, 0xfe, 0xff)) return 'utf-16be'
  return null
}

/** Minimum share of zero bytes at even or odd positions for UTF-16 text in a language with Latin letters. */
const ZEROS_MIN = 0.4

function guessEncoding(head: Uint8Array): Encoding {
  const some = head.subarray(0, 1_000)
  const zeros = (parity: number) =>
    some.filter((byte, index) => index % 2 === parity && byte === 0).length / Math.max(1, some.length / 2)
  if (zeros(1) > ZEROS_MIN && zeros(0) < ZEROS_MIN / 4) return 'utf-16le'
  if (zeros(0) > ZEROS_MIN && zeros(1) < ZEROS_MIN / 4) return 'utf-16be'
  return isUtf8(withoutCutCharacter(head)) ? 'utf-8' : 'windows-1252'
}

/** Removes a character that is cut off at the end of the head. */
function withoutCutCharacter(head: Uint8Array): Uint8Array {
  if (head.length < HEAD_BYTES) return head
  let end = head.length
  while (end > head.length - 4 && ((head[end - 1] ?? 0) & 0xc0) === 0x80) end--
  return head.subarray(0, ((head[end - 1] ?? 0) & 0x80) === 0 ? end : end - 1)
}

const SEPARATORS = [',', ';', '\t', '|']
const RECORDS_COMPARED = 20

/** Returns the separator that splits the first records into the same number of values, and more than one. */
export async function detectSeparator(
  file: ByteFile,
  { encoding, quote, start }: { encoding: Encoding; quote: string; start: number },
): Promise<string> {
  const size = Math.min(file.size, HEAD_BYTES)
  const head: ByteFile = { ...file, size }
  let best = { separator: ',', score: 0 }
  for (const separator of SEPARATORS) {
    const counts: number[] = []
    for await (const { cells } of readCsv(head, { encoding, separator, quote }, start)) {
      if (cells) counts.push(cells.length)
      if (counts.length === RECORDS_COMPARED) break
    }
    const [first = 1] = counts
    const score = first === 1 ? 0 : counts.filter(count => count === first).length * 1_000 + first
    if (score > best.score) best = { separator, score }
  }
  return best.separator
}

export const isAscii = (character: string) => character.length === 1 && character.charCodeAt(0) < 0x80

export function checkCharacters({
  separator,
  quote,
}: {
  separator?: string | null | undefined
  quote?: string | null | undefined
}): void {
  for (const [key, character] of Object.entries({ separator, quote })) {
    if (character == null) continue
    if (!isAscii(character) || /[\r\n\0]/.test(character))
      throw refuse(`The ${key} must be an ASCII character that does not end a line`)
  }
  if (separator != null && separator === quote) throw refuse('The separator and the quote must differ')
}
