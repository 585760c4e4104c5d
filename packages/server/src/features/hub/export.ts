/**
 * Runs an export in the hub thread: writes all files first, then uploads them in one commit. Before the commit, the only change
 * on the hub is creating the repository. The commit title contains the job id, so that a job that runs again can detect whether
 * its commit was made.
 */
import { openAsBlob } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommitOperation } from '@huggingface/hub'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { findJobStatus } from '../../jobs/queue.ts'
import type { Database } from '../../storage/database.ts'
import { API_VERSION } from '../../version.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { findDataset, toDataset } from '../datasets/store.ts'
import { isShardOf, shardPath, toCard, toSettingsFiles } from './card.ts'
import { HubRefusal, HubUnavailable } from './failures.ts'
import { createHubClient, type HubClient } from './hub-client.ts'
import type { ExportPayload } from './jobs.ts'
import { withSeparateConnection } from './separate-connection.ts'
import { writeShards } from './write-shards.ts'

export interface ExportRun {
  id: Id
  payload: ExportPayload
  signal: AbortSignal
  /** Called with the number of records written. */
  onProgress(done: number): void
}

/** Age at which leftover folders of killed processes are removed. */
const LEFT_MS_MAX = 24 * 3_600_000

export async function runExport(ctx: Context, run: ExportRun): Promise<void> {
  const { payload, signal } = run
  const { hubUrl } = ctx.config
  if (payload.token === null) throw new HubRefusal('The token of the export is gone. Start a new export')
  const hub = createHubClient({ hubUrl, token: ctx.apiKeys.decrypt(payload.token), signal })
  const title = `Export of a dataset from Postil (job ${run.id})`
  await hub.createRepository(payload.name, payload.private)
  const parent = await hub.findCommit(payload.name, 'main')
  if (parent === null) throw new HubUnavailable(`\`${payload.name}\` has no branch \`main\` yet`)
  if (await hub.hasCommit(payload.name, title)) return
  const folder = await makeFolder(ctx, run.id)
  try {
    const files = await withSeparateConnection(ctx, db => writeFiles(db, run, folder))
    const operations = await toOperations(hub, parent, payload, files)
    // The export may have been canceled since.
    if ((await findJobStatus(ctx.db, run.id)) !== 'started') throw new HubRefusal('The export was canceled')
    await hub.commit(payload.name, title, parent, operations)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeFolder({ config, log }: Context, jobId: Id): Promise<string> {
  const all = join(config.homePath, 'hub-exports')
  await mkdir(all, { recursive: true, mode: 0o700 })
  for (const name of await readdir(all)) {
    const path = join(all, name)
    const { mtimeMs } = await stat(path)
    if (name !== jobId && Date.now() - mtimeMs < LEFT_MS_MAX) continue
    log.info({ path }, 'files of an export that was stopped are removed')
    await rm(path, { recursive: true, force: true })
  }
  const folder = join(all, jobId)
  await mkdir(folder, { mode: 0o700 })
  return folder
}

interface ExportFiles {
  shards: string[]
  settings: Record<string, unknown>
  toCard(readme: string | null): string
}

function writeFiles(db: Database, { payload, signal, onProgress }: ExportRun, folder: string): Promise<ExportFiles> {
  return db.snapshot(async snapshot => {
    const stored = await findDataset(snapshot, payload.dataset_id)
    if (!stored) throw new HubRefusal('The dataset was deleted')
    const dataset = toDataset(stored)
    const settings = await loadDatasetSettings(snapshot, stored)
    const shards = await writeShards(snapshot, stored, settings, { folder, signal, onProgress })
    if (shards.length === 0) throw new HubRefusal('The dataset has no records any more')
    return {
      shards,
      settings: toSettingsFiles(dataset, settings, API_VERSION),
      toCard: readme => toCard(readme, payload, dataset, stored.records_count),
    }
  })
}

async function toOperations(
  hub: HubClient,
  parent: string,
  payload: ExportPayload,
  { shards, settings, toCard }: ExportFiles,
): Promise<CommitOperation[]> {
  const { name } = payload
  const files = new Map<string, Blob>()
  for (const [index, path] of shards.entries()) files.set(shardPath(payload, index, shards.length), await openAsBlob(path))
  for (const [path, content] of Object.entries(settings)) files.set(path, new Blob([`${JSON.stringify(content, null, 2)}\n`]))
  files.set('README.md', new Blob([toCard(await hub.findText(name, parent, 'README.md'))]))
  const old = (await hub.listPaths(name, parent)).filter(path => isShardOf(path, payload) && !files.has(path))
  return [
    ...Array.from(files, ([path, content]): CommitOperation => ({ operation: 'addOrUpdate', path, content })),
    ...old.map((path): CommitOperation => ({ operation: 'delete', path })),
  ]
}
