/** Why a change was not saved, in words for the person who asked for it. */
import { ShapeError } from '@postil/domain/errors'
import { useCurrentDataset } from '../../datasets/current-dataset.ts'
import { t } from '../../i18n/i18n.ts'
import { describeProblem, isForbidden } from '../../problems.ts'

export function useDescribeRefusal(): (error: unknown) => string {
  const dataset = useCurrentDataset()
  return error => {
    if (isForbidden(error)) return t('datasetSettings.forbidden', { workspace: dataset.value?.workspace.name ?? '' })
    if (error instanceof ShapeError) return error.problems.map(({ msg }) => msg).join(' ')
    return describeProblem(error)
  }
}
