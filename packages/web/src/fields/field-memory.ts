/** View settings of a field, stored in this browser per field. */
import { reactive, watch } from 'vue'
import type { Session } from '../session/session.ts'
import { useSession } from '../session/use-session.ts'
import type { Direction } from './direction.ts'

export interface FieldView {
  /** Shows the source instead of rendered markdown. */
  isRaw: boolean
  /** Null derives the direction from the text. */
  direction: Direction | null
}

const NAME = 'field-views'
/** Maximum number of fields; the oldest are removed. */
const FIELDS_MAX = 200

function open({ items }: Session) {
  const stored = items.read(NAME)
  const views = reactive(new Map<string, FieldView>(Array.isArray(stored) ? stored.flatMap(toEntry).slice(-FIELDS_MAX) : []))
  watch(views, () => items.keep(NAME, [...views].slice(-FIELDS_MAX)))
  const of = (fieldId: string): FieldView => views.get(fieldId) ?? { isRaw: false, direction: null }
  return {
    of,
    set(fieldId: string, change: Partial<FieldView>): void {
      const view = { ...of(fieldId), ...change }
      views.delete(fieldId)
      views.set(fieldId, view)
    },
  }
}

export const useFieldViews = () => useSession().own(open)

function toEntry(stored: unknown): [string, FieldView][] {
  if (!Array.isArray(stored) || typeof stored[0] !== 'string' || typeof stored[1] !== 'object' || stored[1] === null) return []
  const { isRaw, direction } = stored[1] as Record<string, unknown>
  return [[stored[0], { isRaw: isRaw === true, direction: direction === 'ltr' || direction === 'rtl' ? direction : null }]]
}
