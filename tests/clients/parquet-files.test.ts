/** Files that pyarrow writes are read with the same values, and none is taken for a damaged or too large one. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openParquetFile } from '@postil/server/features/hub/read-parquet'
import { afterAll, expect, test } from 'vitest'
import { findPython } from './python-runner.ts'

const folder = mkdtempSync(join(tmpdir(), 'postil-parquet-'))
afterAll(() => rmSync(folder, { recursive: true }))

const program = fileURLToPath(new URL('parquet_files.py', import.meta.url))
const output = execFileSync(findPython(), [program, folder], { encoding: 'utf8', maxBuffer: 64_000_000 })
const { names, rows }: { names: string[]; rows: Record<string, unknown>[] } = JSON.parse(output)

async function readFile(name: string): Promise<Record<string, unknown>[]> {
  const path = `${name}.parquet`
  const { buffer } = new Uint8Array(readFileSync(join(folder, path)))
  const file = await openParquetFile({ byteLength: buffer.byteLength, slice: (from, to) => buffer.slice(from, to) }, path)
  const read: Record<string, unknown>[] = []
  while (read.length < file.rows) read.push(...(await file.read(file.columns, read.length, file.rows)))
  return read
}

/** Values as JSON has them. */
const toPlain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : (part ?? null))))

test.each(names)('%s', async name => {
  const read = await readFile(name)
  const columns = Object.keys(read[0] ?? {})
  const expected = rows.map(row => Object.fromEntries(columns.map(column => [column, row[column]])))
  expect(columns.length).toBeGreaterThan(6)
  expect(toPlain(read)).toEqual(expected)
})
