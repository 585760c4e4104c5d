/** Writes the files of a bundle into its folder and removes those of the previous bundle. */
import { globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutputAsset, OutputChunk } from 'rolldown'

export type Output = OutputChunk | OutputAsset

/** Replaces each file atomically, because another build of the same sources, or a start, may be in progress. */
export function writeBundle(folder: string, output: readonly Output[]): void {
  mkdirSync(folder, { recursive: true })
  // Entries come last, so that the files they import exist by then.
  const isEntry = (file: Output) => file.type === 'chunk' && file.isEntry
  for (const file of [...output].sort((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
    const made = join(folder, `${file.fileName}.${process.pid}.new`)
    writeFileSync(made, file.type === 'chunk' ? file.code : withoutSources(file.source))
    renameSync(made, join(folder, file.fileName))
  }
  const names = new Set(output.map(({ fileName }) => fileName))
  for (const name of globSync('*.{js,js.map}', { cwd: folder })) if (!names.has(name)) rmSync(join(folder, name), { force: true })
}

/** The map refers to the source files, so it need not contain their text. */
function withoutSources(map: OutputAsset['source']): string {
  const { sourcesContent: _, ...rest } = JSON.parse(map.toString()) as { sourcesContent: string[] }
  return JSON.stringify(rest)
}
