/**
 * Steps from a plan to records: dataset, settings, upload, check, publish, import. Every step can be repeated. If a step fails,
 * the run stops, reports that step, and continues from there on a retry.
 */
import type { Import, ImportRequest } from '@postil/domain/imports'
import { type Ref, ref, shallowRef, watch } from 'vue'
import type { Api } from '../../api.ts'
import { toMapping } from '../../mapping/to-import.ts'
import { isGone } from '../../problems.ts'
import { followImport } from './follow-import.ts'
import { hasEnded, type ImportApi } from './import-api.ts'
import { addSettings, createDraft, datasetFingerprint, publish } from './make-dataset.ts'
import type { StoredRun } from './stored-runs.ts'
import type { Uploader } from './uploader.ts'

export type Stage = 'dataset' | 'settings' | 'upload' | 'check' | 'publish' | 'import'

export interface ImportRun {
  /** Current stage; null if nothing is running. */
  readonly stage: Readonly<Ref<Stage | null>>
  readonly failure: Readonly<Ref<{ stage: Stage; error: unknown } | null>>
  readonly checkResult: Readonly<Ref<Import | null>>
  readonly importResult: Readonly<Ref<Import | null>>
  /** True if the dataset was created and there is no file to import. */
  readonly isReady: Readonly<Ref<boolean>>
  check(): Promise<void>
  start(): Promise<void>
  cancel(): Promise<void>
  /** Returns to the check after an import that failed or was canceled. */
  again(): void
  /** Continues the stage that was interrupted by a reload. */
  resume(): void
  /** Called when the plan changes, because an earlier check is then outdated. */
  forgetCheck(): void
  deleteDraft(): Promise<void>
  close(): void
}

interface Parts {
  api: Api
  imports: ImportApi
  uploader: Uploader
  run: StoredRun
}

export function openImportRun({ api, imports, uploader, run }: Parts): ImportRun {
  const stage = ref<Stage | null>(null)
  const failure = shallowRef<{ stage: Stage; error: unknown } | null>(null)
  const checkResult = shallowRef<Import | null>(null)
  const importResult = shallowRef<Import | null>(null)
  const isReady = ref(false)
  const abort = new AbortController()
  const { signal } = abort

  /** Runs one action at a time: calls are ignored while another action runs. */
  async function act(work: () => Promise<void>): Promise<void> {
    if (stage.value !== null) return
    failure.value = null
    try {
      await work()
    } catch (error) {
      if (!signal.aborted && stage.value !== null) failure.value = { stage: stage.value, error }
    } finally {
      stage.value = null
    }
  }

  async function makeDataset(): Promise<string> {
    if (run.datasetId !== null) return run.datasetId
    stage.value = 'dataset'
    const print = datasetFingerprint(run.plan)
    if (run.draft && run.draft.print !== print) await dropDraft()
    run.draft ??= { id: await createDraft(api, run.plan, signal), print }
    stage.value = 'settings'
    await addSettings(api, run.draft.id, run.plan, signal)
    return run.draft.id
  }

  async function dropDraft(): Promise<void> {
    if (run.draft === null) return
    await api.deleteDataset({ params: { dataset_id: run.draft.id } }).catch(error => {
      if (!isGone(error)) throw error
    })
    run.draft = null
    run.check = null
    checkResult.value = null
  }

  function waitForUpload(): Promise<void> {
    stage.value = 'upload'
    return new Promise((resolve, reject) => {
      const stop = watch(
        uploader.state,
        state => {
          if (state === 'done') resolve()
          else if (state === 'failed') reject(uploader.problem.value)
          else if (!signal.aborted) return
          queueMicrotask(() => stop())
        },
        { immediate: true },
      )
    })
  }

  const bodyOf = (uploadId: string): ImportRequest => ({
    upload_id: uploadId,
    ...(run.source?.kind === 'file' && run.source.how ? { source: run.source.how } : {}),
    mapping: toMapping(run.plan),
    on_conflict: run.onConflict,
  })

  async function doCheck(): Promise<void> {
    const { source } = run
    const datasetId = await makeDataset()
    if (source?.kind !== 'file') return
    await waitForUpload()
    stage.value = 'check'
    const body = { ...bodyOf(source.uploadId), dry_run: true }
    const print = JSON.stringify(body)
    if (run.check?.print !== print) run.check = { id: (await imports.create(datasetId, body, signal)).id, print }
    checkResult.value = await followImport(
      imports,
      run.check.id,
      now => {
        checkResult.value = now
      },
      signal,
    )
    // Forgets a failed check, so that it can be repeated.
    if (checkResult.value.status !== 'finished') run.check = null
  }

  async function doImport(): Promise<void> {
    const { source } = run
    // The import runs on the server, regardless of the state of the upload and the page.
    if (run.importId !== null) return follow(run.importId)
    const datasetId = await makeDataset()
    if (source?.kind === 'file') await waitForUpload()
    stage.value = 'publish'
    await publish(api, datasetId, signal)
    if (source?.kind !== 'file') {
      isReady.value = true
      return
    }
    stage.value = 'import'
    run.importId = await findOrCreate(datasetId, source.uploadId)
    await follow(run.importId)
  }

  async function follow(importId: string): Promise<void> {
    stage.value = 'import'
    importResult.value = await followImport(
      imports,
      importId,
      now => {
        importResult.value = now
      },
      signal,
    )
  }

  /** Reuses a running import of the same upload, because the response to an earlier request may have been lost. */
  async function findOrCreate(datasetId: string, uploadId: string): Promise<string> {
    const earlier = (await imports.list(datasetId, signal)).find(
      one => one.upload_id === uploadId && !one.dry_run && !hasEnded(one),
    )
    return (earlier ?? (await imports.create(datasetId, bodyOf(uploadId), signal))).id
  }

  return {
    stage,
    failure,
    checkResult,
    importResult,
    isReady,
    check: () => act(doCheck),
    again() {
      if (stage.value !== null) return
      run.importId = null
      importResult.value = null
    },
    start: () => act(doImport),
    async cancel() {
      if (run.importId !== null && stage.value === 'import') importResult.value = await imports.cancel(run.importId)
    },
    resume() {
      if (run.importId !== null) void act(doImport)
      else if (run.check !== null) void act(doCheck)
    },
    forgetCheck() {
      if (stage.value !== null || run.importId !== null) return
      checkResult.value = null
      run.check = null
    },
    async deleteDraft() {
      await dropDraft()
      failure.value = null
    },
    close: () => abort.abort(),
  }
}
