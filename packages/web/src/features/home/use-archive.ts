/** Archives and restores datasets, with a toast for the result. */
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'
import { t } from '../../i18n/i18n.ts'
import { describeProblem } from '../../problems.ts'
import { useSession } from '../../session/use-session.ts'
import { showToast } from '../../toast.ts'
import { isArchived, toArchiveMetadata } from './archive.ts'

export function useArchive(changed: () => void) {
  const { api } = useSession()
  return async (dataset: DatasetWithIncludes): Promise<void> => {
    const archive = !isArchived(dataset)
    try {
      await api.updateDataset({ params: { dataset_id: dataset.id }, body: { metadata: toArchiveMetadata(archive) } })
      showToast({ kind: 'info', text: t(archive ? 'home.archived_done' : 'home.restored_done', { name: dataset.name }) })
    } catch (error) {
      showToast({ kind: 'danger', text: describeProblem(error) })
    }
    changed()
  }
}
