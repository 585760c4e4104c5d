/**
 * The leading plain texts of a record, which the early script draws before the application has started. The record on screen is
 * kept in this browser for its user, so that the next visit to the same place shows it at once. It cannot be edited there, and the
 * record of the server replaces it.
 */
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'
import type { DatasetRecord } from '@postil/domain/records'
import { createItems, type Items } from '../storage/items.ts'
import { FIRST_RECORD, findLastUserId } from '../storage/last-user.ts'
import { isPlain } from './text/is-plain.ts'

export interface FirstRecord {
  userId: string
  dataset: { id: string; name: string; workspace: string }
  texts: { title: string; text: string }[]
}

interface Kept {
  dataset: FirstRecord['dataset']
  texts: FirstRecord['texts']
  place: string
  at: number
}

/** A day: a session that ended without a sign-out shows nothing the day after. */
const KEPT_MS = 24 * 60 * 60_000
/** Longer records are not kept: local storage has few megabytes, and reading it blocks the first paint. */
const CHARACTERS_MAX = 20_000

/** Returns null if the record starts with a field that only the application can draw, or if another view is the default. */
export function toFirstRecord(userId: string, record: DatasetRecord, dataset: DatasetWithIncludes): FirstRecord | null {
  const texts = hasOtherLayout(dataset) ? [] : textsOf(record, dataset)
  if (texts.length === 0) return null
  const { id, name, workspace } = dataset
  return { userId, dataset: { id, name, workspace: workspace?.name ?? '' }, texts }
}

/**
 * True if the dataset options select the bulk view or side-by-side fields (`dataset-options.ts`). Other metadata can cause false
 * positives, which only skip the early record.
 */
const hasOtherLayout = ({ metadata }: { metadata?: unknown }) => /"(?:bulk|side)"/.test(JSON.stringify(metadata ?? null))

/**
 * Returns the leading plain-text fields. It stops at the first field of another type, because the height of that field is
 * unknown.
 */
function textsOf({ fields: values }: DatasetRecord, { fields = [], questions = [] }: DatasetWithIncludes) {
  const shown = fields.filter(({ name }) => values[name] != null)
  const end = shown.findIndex(field => !isPlain(field, questions) || typeof values[field.name] !== 'string')
  const plain = end === -1 ? shown : shown.slice(0, end)
  return plain.map(({ title, name }) => ({ title, text: String(values[name]) })).filter(({ text }) => text !== '')
}

/** Queue and position of a URL. Null for URLs that say more: a search, a filter, a record, the bulk view. */
function placeOf(search: string): string | null {
  const address = new URLSearchParams(search)
  const page = address.get('page') || '1'
  if (!/^\d+$/.test(page) || [...address.keys()].some(name => name !== 'status' && name !== 'page')) return null
  return `${address.get('status') || 'pending'} ${page}`
}

/** Keeps one record per user: the last one. Null removes it. */
export function keepFirstRecord(items: Items, record: FirstRecord | null, search: string): void {
  const place = placeOf(search)
  const length = record?.texts.reduce((sum, { title, text }) => sum + title.length + text.length, 0) ?? 0
  const isFit = record !== null && place !== null && length <= CHARACTERS_MAX
  const kept: Kept | null = isFit ? { dataset: record.dataset, texts: record.texts, place, at: Date.now() } : null
  items.set(FIRST_RECORD, kept && JSON.stringify(kept))
}

/** Returns the kept record of the user who signed in last, if it belongs to this URL and is not too old. */
export function findKeptRecord(path: string, search: string, now = Date.now()): FirstRecord | null {
  const userId = findLastUserId()
  const kept = userId === null ? null : createItems(userId).read(FIRST_RECORD)
  if (userId === null || !isKept(kept)) return null
  const { dataset, texts, place, at } = kept
  const isHere = path.split('/').includes(dataset.id) && place === placeOf(search)
  return isHere && now >= at && now - at < KEPT_MS ? { userId, dataset, texts } : null
}

function isKept(value: unknown): value is Kept {
  const { dataset, texts, at } = Object(value)
  return typeof dataset?.id === 'string' && Array.isArray(texts) && texts.length > 0 && typeof at === 'number'
}
