/**
 * Unfinished runs of the wizard, stored per user in this browser. The URL of the page contains the run's id: a reload continues
 * the run, and another tab starts its own.
 */

import type { ImportSource } from '@postil/domain/imports'
import type { DatasetPlan } from '../../mapping/plan.ts'
import { isGone } from '../../problems.ts'
import type { Session } from '../../session/session.ts'

export const STEPS = ['source', 'map', 'questions', 'people', 'check'] as const
export type Step = (typeof STEPS)[number]

export interface FileSource {
  kind: 'file'
  uploadId: string
  name: string
  size: number
  /** The user's corrections to the detected format. */
  how: ImportSource | null
}
export type RunSource = FileSource | { kind: 'empty' }

/** Dataset or check that was created for the settings with this fingerprint. Changed settings need a new one. */
interface PlanArtifact {
  id: string
  print: string
}

export interface StoredRun {
  version: 1
  id: string
  /** Null for a new dataset. */
  datasetId: string | null
  step: Step
  source: RunSource | null
  plan: DatasetPlan
  draft: PlanArtifact | null
  check: PlanArtifact | null
  importId: string | null
  onConflict: 'update' | 'skip'
  /** Set when the import has finished or the dataset was created. */
  isDone?: boolean
}

export const emptyPlan = (): DatasetPlan => ({
  uses: [],
  questions: [],
  name: '',
  workspace: null,
  guidelines: '',
  minSubmitted: 1,
})

export const newRun = (id: string, datasetId: string | null): StoredRun => ({
  version: 1,
  id,
  datasetId,
  step: 'source',
  source: null,
  plan: emptyPlan(),
  draft: null,
  check: null,
  importId: null,
  onConflict: 'update',
})

const LIST = 'wizard.runs'
const nameOf = (id: string) => `wizard.run.${id}`
/** Beyond this limit, the oldest run is deleted together with its upload. */
const RUNS_MAX = 5

export function openRunStore({ items, api }: Pick<Session, 'items' | 'api'>) {
  const ids = (): string[] => {
    const stored = items.read(LIST)
    return Array.isArray(stored) ? stored.filter(id => typeof id === 'string') : []
  }
  function forget(id: string): void {
    items.set(nameOf(id), null)
    items.keep(
      LIST,
      ids().filter(other => other !== id),
    )
  }
  function read(id: string): StoredRun | null {
    const stored = items.read(nameOf(id))
    return isRun(stored) ? stored : null
  }
  /** Deletes an old run. Its upload is kept if an import may still read it. */
  function evict(id: string): void {
    const run = read(id)
    forget(id)
    // If this fails, the upload expires later.
    if (run?.source?.kind === 'file' && run.importId === null)
      void api.deleteUpload({ params: { upload_id: run.source.uploadId } }).catch(() => undefined)
  }
  /** Deletes the dataset of a run unless it was published. */
  async function deleteDraft(dataset_id: string): Promise<void> {
    const { status } = await api.getDataset({ params: { dataset_id }, query: {} })
    if (status === 'draft') await api.deleteDataset({ params: { dataset_id } })
  }
  const unlessGone = (error: unknown) => {
    if (!isGone(error)) throw error
  }
  return {
    read,
    forget,
    /** Deletes the file of a run that has finished. If this fails, the upload expires later. */
    async dropUpload({ source }: StoredRun): Promise<void> {
      if (source?.kind === 'file') await api.deleteUpload({ params: { upload_id: source.uploadId } }).catch(() => undefined)
    },
    /** Deletes a run with its upload and its unpublished dataset. If that fails, the run stays. */
    async remove({ id, source, draft }: StoredRun): Promise<void> {
      if (draft !== null) await deleteDraft(draft.id).catch(unlessGone)
      if (source?.kind === 'file') await api.deleteUpload({ params: { upload_id: source.uploadId } }).catch(unlessGone)
      forget(id)
    },
    keep(run: StoredRun): void {
      items.keep(nameOf(run.id), run)
      const others = ids().filter(id => id !== run.id)
      for (const id of others.slice(0, Math.max(0, others.length - RUNS_MAX + 1))) evict(id)
      items.keep(LIST, [...ids().filter(id => id !== run.id), run.id])
    },
    /** Unfinished runs, newest first. */
    list: (datasetId: string | null): StoredRun[] =>
      ids()
        .flatMap(id => read(id) ?? [])
        .filter(run => run.datasetId === datasetId && run.source !== null && !run.isDone)
        .reverse(),
  }
}

/** Type guard, because an older build may have stored something else. */
function isRun(value: unknown): value is StoredRun {
  if (typeof value !== 'object' || value === null) return false
  const { version, id, plan, step } = value as Partial<Record<keyof StoredRun, unknown>>
  if (version !== 1 || typeof id !== 'string' || !STEPS.includes(step as Step)) return false
  const { uses, questions } = (plan ?? {}) as Partial<DatasetPlan>
  return Array.isArray(uses) && Array.isArray(questions)
}
