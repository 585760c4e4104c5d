/** State of one import from the hub: the plan, the created dataset, and the job. */
import type { HubDataset } from '@postil/domain/hub'
import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import { useHubJob } from '../../exchange/use-hub-job.ts'
import { t } from '../../i18n/i18n.ts'
import type { DatasetPlan } from '../../mapping/plan.ts'
import { mappingIssues, type PlanIssue, questionIssues } from '../../mapping/plan-issues.ts'
import { useSession } from '../../session/use-session.ts'
import { addSettings, createDraft, publish } from '../wizard/make-dataset.ts'
import { planFor, toHubMapping } from './plan-for.ts'

const columnsFingerprint = ({ columns }: HubDataset) => JSON.stringify(columns.map(({ name, type }) => [name, type]))

const issuesOf = (plan: DatasetPlan): PlanIssue[] => [
  ...mappingIssues(plan),
  ...questionIssues(plan),
  ...(plan.name.trim() === '' ? [{ key: 'wizard.issue_dataset_name' as const }] : []),
  ...(plan.workspace === null ? [{ key: 'wizard.issue_workspace' as const }] : []),
]

export function useHubImport(repository: string) {
  const { api } = useSession()
  const plan = ref<DatasetPlan>({
    uses: [],
    questions: [],
    name: (repository.split('/').at(-1) ?? '').slice(0, 200),
    workspace: null,
    guidelines: '',
    minSubmitted: 1,
  })
  const source = shallowRef<HubDataset | null>(null)
  /** Created once; a retry after a failure continues with the same dataset. */
  const datasetId = ref<string | null>(null)
  const isMaking = ref(false)
  const problem = shallowRef<unknown>(null)
  const hubJob = useHubJob(() => datasetId.value ?? '', 'import')
  const abort = new AbortController()
  onScopeDispose(() => abort.abort())

  /** Keeps the user's choices if the columns are the same, for example in another split. */
  function show(next: HubDataset) {
    const isSame = source.value !== null && columnsFingerprint(source.value) === columnsFingerprint(next)
    source.value = next
    if (!isSame) plan.value = { ...plan.value, ...planFor(next, key => t(key)) }
  }

  const issues = computed(() => issuesOf(plan.value))

  async function attempt(work: () => Promise<void>) {
    isMaking.value = true
    problem.value = null
    try {
      await work()
    } catch (error) {
      if (!abort.signal.aborted) problem.value = error
    } finally {
      isMaking.value = false
    }
  }

  const start = () =>
    attempt(async () => {
      const from = source.value
      if (from === null || issues.value.length > 0) return
      datasetId.value ??= await createDraft(api, plan.value, abort.signal)
      const id = datasetId.value
      await addSettings(api, id, plan.value, abort.signal)
      await publish(api, id, abort.signal)
      const { name, subset, split } = from
      const body = { name, subset, split, mapping: toHubMapping(plan.value) }
      hubJob.start(name, await api.importFromHub({ params: { dataset_id: id }, body }, { signal: abort.signal }))
    })

  /** Deletes the unfinished dataset, which does not contain records yet. */
  const drop = () =>
    attempt(async () => {
      if (datasetId.value === null) return
      await api.deleteDataset({ params: { dataset_id: datasetId.value } })
      datasetId.value = null
    })

  return {
    plan,
    source,
    show,
    issues,
    datasetId,
    isMaking,
    problem,
    start,
    drop,
    job: hubJob.current,
    jobProblem: hubJob.problem,
  }
}

export type HubImportRun = ReturnType<typeof useHubImport>
