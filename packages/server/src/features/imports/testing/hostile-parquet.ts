/** Tests of malicious Parquet files. */
import { expect, test } from 'vitest'
import { type FileOptions, MIB, toFile } from './parquet-bytes.ts'
import { listRows, open } from './tables.ts'

const CPU_MS_MAX = 5_000

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
    const started = process.cpuUsage()
    await expect(open(content, 'rows.parquet').then(table => listRows(table))).rejects.toThrow(reason)
    expect(process.memoryUsage().rss - rss).toBeLessThan(400 * MIB)
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1_000).toBeLessThan(CPU_MS_MAX)
  })
