import type * as api from '@postil/domain/api/info'
import type { RouteAnswer } from '@postil/domain/api/route'
import type { Context } from '../../context.ts'
import { API_VERSION, POSTIL_VERSION, SERVER_NAME } from '../../version.ts'
import { readMemory } from './memory.ts'

export function getVersion(): RouteAnswer<typeof api.getVersion> {
  return { version: API_VERSION }
}

export async function getStatus(ctx: Context): Promise<RouteAnswer<typeof api.getStatus>> {
  return {
    version: API_VERSION,
    server: { name: SERVER_NAME, version: POSTIL_VERSION },
    search_engine: await ctx.search.info(),
    memory: await readMemory(),
  }
}

/** Settings that the web UI needs before sign-in. Unlike elsewhere in the API, unknown values are omitted instead of null. */
export function getSettings({ config }: Pick<Context, 'config'>): Record<string, unknown> {
  const { space, shareYourProgress, storageWarning } = config
  return withoutNulls({
    argilla: withoutNulls({
      show_huggingface_space_persistent_storage_warning: space ? storageWarning : null,
      share_your_progress_enabled: shareYourProgress,
    }),
    huggingface: space && withoutNulls(space),
  })
}

const withoutNulls = (object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
