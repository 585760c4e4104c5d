import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

export const COMPILED_FOLDER = fileURLToPath(new URL('../../../../node_modules/.cache/postil', import.meta.url))

/**
 * Caches compiled code between starts in our own folder, because every user of the machine can write to the system's temporary
 * folder and cached code is executed. If the folder is not writable, starts are a little slower.
 */
export function enableCodeCache(): void {
  enableCompileCache(COMPILED_FOLDER)
}
