/**
 * Whether compared fields are shown side by side. The dataset's settings define the default; a user's own choice is stored in
 * this browser for each dataset.
 */
import type { Field } from '@postil/domain/fields'
import { computed, reactive, watch } from 'vue'
import { FIELD_LAYOUTS, type FieldLayout } from '../../../dataset-options.ts'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import type { Session } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'
import { comparedFields } from './compared-fields.ts'

const NAME = 'field-layouts'
/** Beyond this limit, the oldest choices are deleted. */
const DATASETS_MAX = 200

function open({ items }: Session) {
  const stored = items.read(NAME)
  const layouts = reactive(
    new Map<string, FieldLayout>(Array.isArray(stored) ? stored.flatMap(toEntry).slice(-DATASETS_MAX) : []),
  )
  watch(layouts, () => items.keep(NAME, [...layouts].slice(-DATASETS_MAX)))
  return layouts
}

function toEntry(stored: unknown): [string, FieldLayout][] {
  if (!Array.isArray(stored) || typeof stored[0] !== 'string') return []
  const layout = FIELD_LAYOUTS.find(one => one === stored[1])
  return layout ? [[stored[0], layout]] : []
}

export function useFieldLayout(bundle: () => DatasetBundle) {
  const layouts = useSession().own(open)
  const compared = computed<Field[]>(() => comparedFields(bundle().fields, bundle().options.comparedFields))
  const canCompare = computed(() => compared.value.length > 1)
  const isSideBySide = computed(() => {
    const { dataset, options } = bundle()
    return canCompare.value && (layouts.get(dataset.id) ?? options.fieldLayout) === 'side'
  })
  function toggle(): void {
    const { dataset, options } = bundle()
    const next: FieldLayout = isSideBySide.value ? 'stacked' : 'side'
    layouts.delete(dataset.id)
    // A choice equal to the default is not stored, so that the user follows the settings again.
    if (next !== options.fieldLayout) layouts.set(dataset.id, next)
  }
  return { compared, canCompare, isSideBySide, toggle }
}
