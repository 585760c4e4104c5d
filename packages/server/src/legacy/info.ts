import type { Json } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { readMemory } from '../features/info/memory.ts'
import { LEGACY_API_VERSION, SERVER_NAME } from '../version.ts'

export const getLegacyInfo = () => ({ version: LEGACY_API_VERSION })

const MEMORY_KEYS = ['rss', 'vms', 'shared', 'text', 'lib', 'data', 'dirty']

/** 1.x clients require each of these keys, so values that the engine does not provide are empty. */
export async function getLegacyStatus(ctx: Context): Promise<Json> {
  const info = (await ctx.search.info()) as Record<string, Json>
  const version = (info.version ?? {}) as Record<string, Json>
  const memory = await readMemory()
  return {
    version: LEGACY_API_VERSION,
    elasticsearch: {
      name: info.name ?? SERVER_NAME,
      cluster_name: info.cluster_name ?? SERVER_NAME,
      cluster_uuid: info.cluster_uuid ?? '',
      tagline: info.tagline ?? '',
      version: {
        number: '',
        build_flavor: '',
        build_type: '',
        build_hash: '',
        build_date: '',
        build_snapshot: false,
        lucene_version: '',
        minimum_wire_compatibility_version: '',
        minimum_index_compatibility_version: '',
        ...version,
      },
    },
    mem_info: Object.fromEntries(MEMORY_KEYS.map(key => [key, memory[key] ?? '0B'])),
  }
}
