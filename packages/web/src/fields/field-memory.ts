/** How a person wants to see a field: kept in this browser, by field. */
import { reactive, watch } from 'vue'
import type { Direction } from './direction.ts'

export interface FieldView {
  /** As it is written, not as markdown. */
  isRaw: boolean
  /** Null: as the text says. */
  direction: Direction | null
}

const KEY = 'postil.field-views'
/** Oldest are forgotten. */
const FIELDS_MAX = 200

const views = reactive(new Map<string, FieldView>(read()))

function read(): [string, FieldView][] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.flatMap(toEntry).slice(-FIELDS_MAX) : []
  } catch {
    return []
  }
}

function toEntry(stored: unknown): [string, FieldView][] {
  if (!Array.isArray(stored) || typeof stored[0] !== 'string' || typeof stored[1] !== 'object' || stored[1] === null) return []
  const { isRaw, direction } = stored[1] as Record<string, unknown>
  return [[stored[0], { isRaw: isRaw === true, direction: direction === 'ltr' || direction === 'rtl' ? direction : null }]]
}

watch(views, () => localStorage.setItem(KEY, JSON.stringify([...views].slice(-FIELDS_MAX))))

export const fieldView = (fieldId: string): FieldView => views.get(fieldId) ?? { isRaw: false, direction: null }

export function setFieldView(fieldId: string, change: Partial<FieldView>): void {
  const view = { ...fieldView(fieldId), ...change }
  views.delete(fieldId)
  views.set(fieldId, view)
}
