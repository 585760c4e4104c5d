/** Polls an import until it ends and reports its progress. Continues if the server is temporarily unavailable. */
import type { Import } from '@postil/domain/imports'
import { hasEnded, type ImportApi } from './import-api.ts'
import { isTransient } from './uploader.ts'

const EVERY_MS = 700

export async function followImport(
  imports: Pick<ImportApi, 'get'>,
  importId: string,
  onProgress: (run: Import) => void,
  signal: AbortSignal,
): Promise<Import> {
  for (;;) {
    signal.throwIfAborted()
    try {
      const run = await imports.get(importId, signal)
      onProgress(run)
      if (hasEnded(run)) return run
    } catch (error) {
      signal.throwIfAborted()
      if (!isTransient(error)) throw error
    }
    await new Promise(resolve => setTimeout(resolve, EVERY_MS))
  }
}
