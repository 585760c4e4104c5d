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
    writeFileSync(made, file.type === 'chunk' ? readBuiltins(file.code) : withoutSources(file.source))
    renameSync(made, join(folder, file.fileName))
  }
  const names = new Set(output.map(({ fileName }) => fileName))
  for (const name of globSync('*.{js,js.map}', { cwd: folder })) if (!names.has(name)) rmSync(join(folder, name), { force: true })
}

const BUILTIN_IMPORT = /^import (?:(\w[\w$]*)(?:, )?)?(?:\{ ([^}]+) \}|\* as ([\w$]+))? ?from "(node:[\w/]+)";$/gm

/**
 * Reads Node's own modules without `import`, which evaluates every getter of a module: importing `node:http` loads all of undici, a
 * tenth of a second in each thread. Lines stay where they are, so the source map does, too.
 */
function readBuiltins(code: string): string {
  return code.replace(BUILTIN_IMPORT, (_line, whole?: string, names?: string, namespace?: string, id?: string) => {
    const read = `process.getBuiltinModule("${id}")`
    const name = whole ?? namespace
    const parts = [
      ...(name === undefined ? [] : [`${name} = ${read}`]),
      ...(names === undefined ? [] : [`{ ${names.replaceAll(' as ', ': ')} } = ${read}`]),
    ]
    return `const ${parts.join(', ')};`
  })
}

/** The map refers to the source files, so it need not contain their text. */
function withoutSources(map: OutputAsset['source']): string {
  const { sourcesContent: _, ...rest } = JSON.parse(map.toString()) as { sourcesContent: string[] }
  return JSON.stringify(rest)
}
