/** State of one run of the wizard: the plan, the upload and its preview. Lives until the session ends. */
import { computed, effectScope, reactive, ref, watch } from 'vue'
import type { Session } from '../../session/session.ts'
import { newId } from '../../storage/uuid.ts'
import { importApiOf } from './import-api.ts'
import { openImportRun } from './import-run.ts'
import { type ExistingDataset, openSourceState } from './source-state.ts'
import { emptyPlan, newRun, openRunStore, type StoredRun } from './stored-runs.ts'
import { openUploader } from './uploader.ts'

export type Wizard = ReturnType<typeof openWizard>

function openWizard(session: Session, kept: StoredRun, existing: ExistingDataset | null) {
  const run = reactive(kept)
  const runs = openRunStore(session)
  const imports = importApiOf(session.api)
  const uploader = openUploader(session.api)
  const work = openImportRun({ api: session.api, imports, uploader, run })
  const source = openSourceState({ api: session.api, imports, uploader, run, existing })
  /** True if the server would refuse the name. */
  const isNameTaken = ref(false)
  let isForgotten = false

  watch(
    run,
    () => {
      if (!isForgotten && run.source !== null) runs.keep(run)
    },
    { deep: true },
  )
  watch(
    () => JSON.stringify([run.plan, run.source, run.onConflict]),
    () => work.forgetCheck(),
  )
  watch([work.importResult, work.isReady], ([result, isReady]) => {
    if (result?.status !== 'finished' && !isReady) return
    run.isDone = true
    void runs.dropUpload(run)
  })
  return {
    run,
    existing,
    uploader,
    work,
    ...source,
    isNameTaken,
    isForgotten: () => isForgotten,
    isEmpty: computed(() => run.source?.kind === 'empty'),
    /** Called after a reload: requests the progress of the upload from the server and continues the interrupted stage. */
    restore() {
      const { source: file } = run
      if (file?.kind === 'file' && uploader.state.value === 'idle') {
        void uploader.open({ id: file.uploadId, size: file.size }, null)
        work.resume()
      }
    },
    /** Deletes a run that is finished or abandoned, together with its upload. */
    async forget() {
      isForgotten = true
      work.close()
      runs.forget(run.id)
      await source.chooseOther()
      run.plan = emptyPlan()
    },
    close() {
      work.close()
      uploader.close()
      source.close()
    },
  }
}

/** All runs of this tab, so that leaving the page does not interrupt them. */
function openWizards(session: Session) {
  const scope = effectScope(true)
  const runs = openRunStore(session)
  const opened = new Map<string, Wizard>()
  return {
    runs,
    of(id: string | null, existing: ExistingDataset | null): Wizard {
      const known = id === null ? undefined : opened.get(id)
      if (known && !known.isForgotten()) return known
      const datasetId = existing?.id ?? null
      const stored = id === null ? null : runs.read(id)
      const kept = stored && stored.datasetId === datasetId ? stored : newRun(id ?? newId(), datasetId)
      const wizard = scope.run(() => openWizard(session, kept, existing))
      if (!wizard) throw new Error('The session has ended')
      opened.set(kept.id, wizard)
      wizard.restore()
      return wizard
    },
    drop(id: string) {
      opened.get(id)?.close()
      opened.delete(id)
    },
    close() {
      for (const wizard of opened.values()) wizard.close()
      scope.stop()
    },
  }
}

export const wizardsOf = (session: Session) => session.own(openWizards)
