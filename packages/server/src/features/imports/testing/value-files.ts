/** One value as a file of each format that can hold it: a row with the columns `id` and `value`. */
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { toExcel } from './tables.ts'

export interface FileValue {
  /** As it stands in a CSV file, with quotes if they are needed. */
  csv?: string
  /** As it stands in JSON. Empty: the key is missing. */
  json?: string
  /** A cell of a sheet, without a reference. Its style is an index of `STYLES`. */
  excel?: string
  parquet?: ParquetValue
}

interface ParquetValue {
  value: unknown
  schema: SchemaElement[]
}

type Column = Omit<SchemaElement, 'name'>

export const TEXT: Column = { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
export const INT64: Column = { type: 'INT64' }
export const DECIMAL: Column = { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 2 }

export const columnOf = (value: unknown, column: Column): ParquetValue => ({
  value,
  schema: [{ name: 'value', repetition_type: 'OPTIONAL', ...column }],
})
const listOf = (value: unknown[], column: Column): ParquetValue => ({
  value,
  schema: [
    { name: 'value', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...column },
  ],
})

const toCsv = (text: string) => (/[",\n\r\t]|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
export const cellOf = (text: string) =>
  `<c t="inlineStr"><is><t>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\r', '_x000D_')}</t></is></c>`

export const text = (value: string): FileValue => ({
  csv: toCsv(value),
  json: JSON.stringify(value),
  excel: cellOf(value),
  parquet: columnOf(value, TEXT),
})
export const number = (digits: string, parquet: ParquetValue): FileValue => ({
  csv: digits,
  json: digits,
  excel: `<c><v>${digits}</v></c>`,
  parquet,
})
export const boolean = (value: boolean): FileValue => ({
  csv: String(value),
  json: String(value),
  excel: `<c t="b"><v>${Number(value)}</v></c>`,
  parquet: columnOf(value, { type: 'BOOLEAN' }),
})
/** Text, except in formats with a type for it. */
export const time = (shown: string, { excel, parquet }: Pick<FileValue, 'excel' | 'parquet'>): FileValue => ({
  csv: shown,
  json: JSON.stringify(shown),
  ...(excel && { excel }),
  ...(parquet && { parquet }),
})
export const list = (value: unknown[], column: Column): FileValue => ({
  ...text(JSON.stringify(value)),
  json: JSON.stringify(value),
  parquet: listOf(value, column),
})
/** `json` is the text of a list or an object. */
export const structure = (json: string, value: unknown): FileValue => ({
  ...text(json),
  json,
  parquet: columnOf(value, { type: 'BYTE_ARRAY', converted_type: 'JSON' }),
})

/** Formats of numbers that Excel has built in: none, a date, a date with a time, a time of day, a duration. */
const STYLES = [0, 14, 22, 21, 46]
const styles = `<styleSheet><cellXfs>${STYLES.map(id => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`
const head = ['id', 'value'].map(cellOf).join('')

function toParquet({ value, schema }: ParquetValue): Uint8Array {
  const columnData = [
    { name: 'id', data: ['a'] },
    { name: 'value', data: [value] },
  ]
  const id: SchemaElement = { name: 'id', repetition_type: 'REQUIRED', ...TEXT }
  return new Uint8Array(parquetWriteBuffer({ schema: [{ name: 'root', num_children: 2 }, id, ...schema], columnData }))
}

export type Format = 'csv' | 'tsv' | 'jsonl' | 'json' | 'xlsx' | 'parquet'

export function listFiles({ csv, json, excel, parquet }: FileValue): [format: Format, content: string | Uint8Array][] {
  const files: [Format, string | Uint8Array][] = []
  if (csv !== undefined) files.push(['csv', `id,value\na,${csv}\n`], ['tsv', `id\tvalue\na\t${csv}\n`])
  if (json !== undefined) {
    const rows = [json === '' ? '{"id":"a"}' : `{"id":"a","value":${json}}`, '{"id":"b","value":null}']
    files.push(['jsonl', rows.join('\n')], ['json', `[${rows}]`])
  }
  if (excel !== undefined) {
    const sheet = `<worksheet><sheetData><row>${head}</row><row>${cellOf('a')}${excel}</row></sheetData></worksheet>`
    files.push(['xlsx', toExcel(sheet, { 'xl/styles.xml': styles })])
  }
  if (parquet !== undefined) files.push(['parquet', toParquet(parquet)])
  return files
}
