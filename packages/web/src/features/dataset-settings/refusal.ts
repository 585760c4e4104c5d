/** Why a change was not saved, in words for the person who asked for it. */
import { ShapeError } from '@postil/domain/errors'
import { t } from '../../i18n/i18n.ts'
import { describeProblem, isForbidden } from '../../problems.ts'
import { currentDataset } from '../../shell/current-dataset.ts'

export function describeRefusal(error: unknown): string {
  if (isForbidden(error)) return t('datasetSettings.forbidden', { workspace: currentDataset.value?.workspace.name ?? '' })
  if (error instanceof ShapeError) return error.problems.map(({ msg }) => msg).join(' ')
  return describeProblem(error)
}
