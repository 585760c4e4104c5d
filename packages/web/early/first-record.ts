/** Finds the first record of the annotation page in the data embedded in the page. */
import { windowStart } from '@postil/domain/api/first-calls'
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'
import type { DatasetRecord } from '@postil/domain/records'
import { isPlain } from '../src/fields/text/is-plain.ts'

export interface FirstRecord {
  userId: string
  dataset: { id: string; name: string; workspace: string }
  texts: { title: string; text: string }[]
}

interface EmbeddedResponse {
  call: string
  user: string
  text: string
}

/** Returns null if the data is missing, or if the record starts with a field that only the application can draw. */
export function findFirstRecord(answers: readonly EmbeddedResponse[], search: string): FirstRecord | null {
  const address = new URLSearchParams(search)
  const found = answers.find(({ call }) => call.startsWith('GET /api/v1/datasets/'))
  const listed = answers.find(({ call }) => call.startsWith('POST /api/v1/me/datasets/'))
  // With `record` in the URL, the page starts with that record instead of one from the list.
  if (!found || !listed || address.has('record')) return null
  const dataset: DatasetWithIncludes = JSON.parse(found.text)
  if (hasOtherLayout(dataset)) return null
  const { items }: { items: { record: DatasetRecord }[] } = JSON.parse(listed.text)
  const position = Number(address.get('page') || 1) - 1
  const record = items[Math.min(position - windowStart(position), items.length - 1)]?.record
  const texts = record ? textsOf(record, dataset) : []
  if (texts.length === 0) return null
  const { id, name, workspace } = dataset
  return { userId: found.user, dataset: { id, name, workspace: workspace?.name ?? '' }, texts }
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
