/** Returns a function that describes why a change was not saved. */
import { useCurrentDataset } from '../../datasets/current-dataset.ts'
import { t } from '../../i18n/i18n.ts'
import { describeReason, isForbidden } from '../../problems.ts'

export function useDescribeRefusal(): (error: unknown) => string {
  const dataset = useCurrentDataset()
  return error => {
    if (isForbidden(error)) return t('datasetSettings.forbidden', { workspace: dataset.value?.workspace.name ?? '' })
    return describeReason(error)
  }
}
