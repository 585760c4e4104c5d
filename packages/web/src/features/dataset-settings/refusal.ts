/** Returns a function that describes why a change was not saved. */
import { DomainError } from '@postil/domain/errors'
import { useCurrentDataset } from '../../datasets/current-dataset.ts'
import { t } from '../../i18n/i18n.ts'
import { describeReason, isForbidden } from '../../problems.ts'

export function useDescribeRefusal(): (error: unknown) => string {
  const dataset = useCurrentDataset()
  return error => {
    if (isForbidden(error)) return t('datasetSettings.forbidden', { workspace: dataset.value?.workspace.name ?? '' })
    // In settings, only names must be unique.
    if (error instanceof DomainError && error.code === 'not_unique') return t('datasetChanges.name_taken')
    return describeReason(error)
  }
}
