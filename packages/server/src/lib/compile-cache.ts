import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

export const COMPILED_FOLDER = fileURLToPath(new URL('../../../../node_modules/.cache/postil', import.meta.url))

/**
 * Keeps compiled code between starts, in a folder of ours: the common one for temporary files is open to every user of a
 * machine, and what lies in it is run. Where the folder cannot be written, starting takes a moment longer.
 */
export function keepCompiledCode(): void {
  enableCompileCache(COMPILED_FOLDER)
}
