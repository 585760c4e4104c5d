/** Tests of malicious Parquet files. */
import { expect, test } from 'vitest'
import { type FileOptions, MIB, toFile } from './parquet-bytes.ts'
import { listRows, open } from './tables.ts'

export interface HostileFile {
  what: string
  file: FileOptions
  reason: RegExp
}

/** Expects that each file is refused, soon and without much memory. */
export const testHostile = (files: readonly HostileFile[]): void =>
  test.each(files)('a file with $what is refused', async ({ file, reason }) => {
    const content = toFile(file)
    const { rss } = process.memoryUsage()
    const started = performance.now()
    await expect(open(content, 'rows.parquet').then(table => listRows(table))).rejects.toThrow(reason)
    expect(process.memoryUsage().rss - rss).toBeLessThan(400 * MIB)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
