/** Cluster information for the status route. It is public, so it does not include datasets. */
import type { ElasticConfig } from '../../search-settings.ts'
import type { Database } from '../../storage/database.ts'
import { findVersion } from './check-engine.ts'
import type { EngineClient } from './client.ts'
import { EngineError, EngineUnavailable } from './errors.ts'
import { listHeads } from './heads.ts'
import type { States } from './states.ts'

/** The route needs no credentials, so the engine is queried at most once in this time. */
const KEPT_MS = 1_000

interface InfoOptions {
  client: EngineClient
  config: ElasticConfig
  db: Database
  states: States
}

export function createInfoReader(options: InfoOptions): () => Promise<Record<string, unknown>> {
  let kept: { atMs: number; info: Promise<Record<string, unknown>> } | null = null
  return () => {
    if (kept === null || performance.now() - kept.atMs > KEPT_MS) kept = { atMs: performance.now(), info: readInfo(options) }
    return kept.info
  }
}

async function readInfo({ client, config, db, states }: InfoOptions): Promise<Record<string, unknown>> {
  try {
    const { version } = await findVersion(client)
    return { engine: config.name, version, status: 'available', ...(await readLag(db, states)) }
  } catch (error) {
    if (!(error instanceof EngineUnavailable || error instanceof EngineError)) throw error
    return {
      engine: config.name,
      status: 'unavailable',
      reason: error instanceof EngineError ? `answers ${error.status}` : 'does not answer',
    }
  }
}

export interface Lag {
  /** Datasets whose index is behind their records. */
  datasets_behind: number
  /** Largest number of changes that are missing in the index of a dataset. */
  changes_behind_max: number
  /** Datasets whose records are not all in the index yet. */
  datasets_filling: number
  /** Records that the engine rejects. */
  records_refused: number
}

export async function readLag(db: Database, states: States): Promise<Lag> {
  const lag: Lag = { datasets_behind: 0, changes_behind_max: 0, datasets_filling: 0, records_refused: 0 }
  for await (const heads of listHeads(db)) {
    const published = heads.filter(({ is_published }) => is_published === 1)
    const found = await states.list(published.map(({ dataset_id }) => dataset_id))
    for (const { dataset_id, change_no } of published) {
      const state = found.get(dataset_id)
      const behind = Math.max(0, change_no - (state?.index ? state.change_no : 0))
      if (behind > 0) lag.datasets_behind++
      lag.changes_behind_max = Math.max(lag.changes_behind_max, behind)
      if (state?.fill) lag.datasets_filling++
      lag.records_refused += state?.refused.length ?? 0
    }
  }
  return lag
}
