/** Opens a file of any supported format as a table. */
import type { ImportSource } from '@postil/domain/imports'
import { readInPieces } from './byte-file.ts'
import { openCsvTable } from './csv-table.ts'
import { checkCharacters, detectEncoding, detectFormat, detectSeparator } from './detect.ts'
import { openExcelTable } from './excel-table.ts'
import { openJsonLinesTable } from './json-lines.ts'
import { openJsonTable } from './json-list.ts'
import { openParquetTable } from './parquet-table.ts'
import { type ByteFile, HEAD_BYTES, type Table } from './table.ts'

/** Throws a HubRefusal if the file cannot be read at all, or not until `deadline` (a time as of `Date.now`). */
export async function openTable(
  stored: ByteFile,
  given: Partial<ImportSource> | null,
  { excelBytesMax, deadline }: { excelBytesMax: number; deadline?: number },
): Promise<Table> {
  const file = readInPieces(stored, deadline)
  const head = await file.read(0, Math.min(file.size, HEAD_BYTES))
  const format = given?.format ?? detectFormat(file.name, head)
  if (format === 'parquet') return openParquetTable(file)
  if (format === 'excel') return openExcelTable(file, given, excelBytesMax)
  const { encoding, start, problems } = detectEncoding(head, given?.encoding)
  const table = await openText(file, { ...given, format }, { encoding, start })
  return { ...table, problems: [...problems, ...table.problems] }
}

type TextFormat = 'csv' | 'tsv' | 'json' | 'jsonl'

async function openText(
  file: ByteFile,
  { format, separator, quote, header, path }: Partial<ImportSource> & { format: TextFormat },
  { encoding, start }: { encoding: NonNullable<ImportSource['encoding']>; start: number },
): Promise<Table> {
  if (format === 'jsonl') return openJsonLinesTable(file, { format, encoding }, start)
  if (format === 'json') return openJsonTable(file, { format, encoding, ...(path != null && { path }) }, start)
  const ownQuote = quote ?? '"'
  checkCharacters({ separator, quote: ownQuote })
  const ownSeparator = separator ?? (format === 'tsv' ? '\t' : await detectSeparator(file, { encoding, quote: ownQuote, start }))
  return openCsvTable(file, { format, encoding, separator: ownSeparator, quote: ownQuote, header: header ?? true }, start)
}
