/** Which settings of a dataset an index follows, and what an index lacks when they have changed. */
import type { CountQuery } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import type { Fill } from './states.ts'

/** What documents and the mapping are made from, by id. */
type Stamp = { [id: string]: string }

/** Fields are found by any text query, whatever their ids are. */
const FIELD = 'field '

export function toSettingsStamp({ textFields, metadataProperties, questions, vectorsSettings }: DatasetSettings): string {
  const stamp: Stamp = {}
  for (const { id, name, settings } of textFields) stamp[FIELD + id] = `${settings.type} ${name}`
  for (const { id, name, settings } of metadataProperties) stamp[id] = `${JSON.stringify(settings)} ${name}`
  for (const { id, name, settings } of questions) stamp[id] = `${settings.type} ${name}`
  for (const { id, dimensions } of vectorsSettings) stamp[id] = String(dimensions)
  return JSON.stringify(stamp)
}

/**
 * What must be read again when settings change: every record, because any may hold values from before a metadata property was added, and what
 * was deleted must go. Only searches by what is new have to wait for it.
 */
export function toRefill(before: string, after: string, fill: Fill | null): Fill {
  const [known, wanted]: [Stamp, Stamp] = [JSON.parse(before), JSON.parse(after)]
  const changed = Object.keys(wanted).filter(id => known[id] !== wanted[id])
  const missing = fill === null ? [] : fill.ids
  return { after: 0, ids: missing === null ? null : [...new Set([...missing, ...changed])] }
}

/** Whether a query asks for what an index still lacks. */
export function isLacking(fill: Fill | null, query: SearchQuery | CountQuery): boolean {
  if (fill === null) return false
  if (fill.ids === null) return true
  if (fill.ids.length === 0) return false
  const asked = JSON.stringify(query)
  return fill.ids.some(id => (id.startsWith(FIELD) ? query.text !== null : asked.includes(id)))
}
