/** Texts for entries of the audit log. */
import type { Json } from '@postil/domain/schema'
import { dateTime, type MessageKey, parseTime, t } from '../../../i18n/i18n.ts'

export const actionKey = (action: string) => `action_${action.replace('.', '_')}`

/** Returns the text of an action, `User created` for `user.created`. Unknown actions are shown by their name. */
export function actionName(action: string): string {
  const key = `admin.${actionKey(action)}`
  const text = t(key as MessageKey)
  return text === key ? action : text
}

interface DetailLine {
  name: string
  text: string
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/

/** Formats values as text: lists and objects of plain values in one line, deeper values as JSON. */
export const detailLines = (details: Record<string, Json>): DetailLine[] =>
  Object.entries(details).map(([name, value]) => ({ name, text: toText(value) }))

function toText(value: Json): string {
  if (typeof value === 'string') return isTime(value) ? dateTime(value) : value
  if (Array.isArray(value) && value.every(isPlain)) return value.map(toText).join(', ') || '–'
  if (isChange(value)) return `${toText(value.from)} → ${toText(value.to)}`
  if (isFlat(value))
    return Object.entries(value)
      .map(([name, inner]) => `${name}: ${toText(inner)}`)
      .join(', ')
  return JSON.stringify(value)
}

const isTime = (value: string) => TIME.test(value) && !Number.isNaN(parseTime(value).getTime())

const isPlain = (value: Json) => value === null || typeof value !== 'object'

const isFlat = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isPlain)

const isChange = (value: Json): value is { from: Json; to: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).sort().join() === 'from,to'
