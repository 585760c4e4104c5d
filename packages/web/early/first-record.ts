/** Finds the first record of the annotation page in the data embedded in the page. */
import { windowStart } from '@postil/domain/api/first-calls'
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'
import type { DatasetRecord } from '@postil/domain/records'
import { type FirstRecord, toFirstRecord } from '../src/fields/first-record.ts'

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
  const { items }: { items: { record: DatasetRecord }[] } = JSON.parse(listed.text)
  const position = Number(address.get('page') || 1) - 1
  const record = items[Math.min(position - windowStart(position), items.length - 1)]?.record
  return record ? toFirstRecord(found.user, record, dataset) : null
}
