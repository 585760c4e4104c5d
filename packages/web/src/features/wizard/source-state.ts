/** File of a run: its upload and its preview. */
import type { ImportSource, Preview } from '@postil/domain/imports'
import { ref, shallowRef, watch } from 'vue'
import type { Api } from '../../api.ts'
import { type DatasetTargets, matchingUsesOf, suggestedUsesOf } from '../../mapping/from-columns.ts'
import type { QuestionPlan } from '../../mapping/plan.ts'
import type { ImportApi } from './import-api.ts'
import type { StoredRun } from './stored-runs.ts'
import type { Uploader } from './uploader.ts'

/** Existing dataset, with the targets that columns can be mapped to. */
export interface ExistingDataset {
  id: string
  targets: DatasetTargets
  questions: QuestionPlan[]
}

interface Parts {
  api: Api
  imports: ImportApi
  uploader: Uploader
  run: StoredRun
  existing: ExistingDataset | null
}

export function openSourceState({ api, imports, uploader, run, existing }: Parts) {
  const preview = shallowRef<Preview | null>(null)
  const previewProblem = shallowRef<unknown>(null)
  const sourceProblem = shallowRef<unknown>(null)
  const isReading = ref(false)
  let reading = new AbortController()

  watch(uploader.state, state => {
    if (state === 'done') void readPreview()
  })

  /** Creates a new plan if the columns have changed; otherwise the plan stays. */
  function planFor({ columns }: Preview): void {
    const known = new Set(run.plan.uses.map(({ column }) => column))
    const isSame =
      columns.length > 0 &&
      columns.every(({ name }) => known.has(name)) &&
      run.plan.uses.every(use => columns.some(({ name }) => name === use.column))
    if (isSame) return
    const uses = existing ? matchingUsesOf(columns, existing.targets) : suggestedUsesOf(columns)
    run.plan = { ...run.plan, uses, questions: existing ? existing.questions : run.plan.questions }
  }

  async function readPreview(): Promise<void> {
    if (run.source?.kind !== 'file') return
    reading.abort()
    const mine = new AbortController()
    reading = mine
    isReading.value = true
    previewProblem.value = null
    try {
      const found = await imports.preview(run.source.uploadId, run.source.how, mine.signal)
      if (mine.signal.aborted) return
      preview.value = found
      planFor(found)
    } catch (error) {
      if (!mine.signal.aborted) previewProblem.value = error
    } finally {
      if (reading === mine) isReading.value = false
    }
  }

  async function setFile(file: File): Promise<void> {
    await dropUpload()
    sourceProblem.value = null
    try {
      const upload = await api.createUpload({ body: { name: toFileName(file.name), size: file.size } })
      run.source = { kind: 'file', uploadId: upload.id, name: upload.name, size: upload.size, how: null }
      if (run.plan.name === '' && existing === null) run.plan.name = toDatasetName(upload.name)
      void uploader.open(upload, file)
    } catch (error) {
      sourceProblem.value = error
    }
  }

  async function dropUpload(): Promise<void> {
    uploader.close()
    reading.abort()
    preview.value = null
    const { source } = run
    run.source = null
    if (source?.kind !== 'file' || run.isDone) return
    // If this fails, the upload expires later.
    await api.deleteUpload({ params: { upload_id: source.uploadId } }).catch(() => undefined)
  }

  return {
    preview,
    previewProblem,
    sourceProblem,
    isReading,
    readPreview,
    setFile,
    chooseOther: dropUpload,
    async startEmpty() {
      await dropUpload()
      run.plan.uses = run.plan.uses.filter(({ column }) => column === null)
      run.source = { kind: 'empty' }
    },
    setHow(how: ImportSource) {
      if (run.source?.kind !== 'file') return
      run.source.how = how
      void readPreview()
    },
    close: () => reading.abort(),
  }
}

/** Returns a name that the server accepts: no path, no control characters. */
const toFileName = (name: string) => name.replace(/[\0-\x1f\x7f/\\]/g, '_').slice(-255) || 'file'

const toDatasetName = (file: string) =>
  file.replace(/\.(csv|tsv|txt|jsonl?|ndjson|parquet|xlsx?)(\.gz)?$/i, '').slice(0, 200) || file
