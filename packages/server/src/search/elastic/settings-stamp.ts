/** Identifies the settings of a dataset that an index is built for, and determines what the index lacks after they change. */
import type { Question } from '@postil/domain/questions'
import type { CountQuery } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import type { Flavour } from './flavour.ts'
import type { Fill } from './states.ts'

/** Settings that determine the documents and the mapping, by id. */
type Stamp = { [id: string]: string }

/** Prefix for fields, because any text query depends on them, regardless of their ids. */
const FIELD = 'field '

/** Version of the document format. Increment it if the same records result in different documents. */
const DOCUMENTS = 2
const FORMAT = 'format'

const toFormat = ({ similarity }: Flavour) => `${DOCUMENTS} ${similarity}`

/** False for an index of an earlier version of this server or of the engine. It cannot be extended, so a new one is created. */
export const isCurrentFormat = (stamp: string, flavour: Flavour): boolean =>
  (JSON.parse(stamp) as Stamp)[FORMAT] === toFormat(flavour)

/** Sorts questions by age, because changing their order does not affect an index. */
const byAge = (a: Question, b: Question) => (`${a.inserted_at} ${a.id}` < `${b.inserted_at} ${b.id}` ? -1 : 1)

export function toSettingsStamp(
  { textFields, metadataProperties, questions, vectorsSettings }: DatasetSettings,
  flavour: Flavour,
): string {
  const stamp: Stamp = { [FORMAT]: toFormat(flavour) }
  for (const { id, name, settings } of textFields) stamp[FIELD + id] = `${settings.type} ${name}`
  for (const { id, name, settings } of metadataProperties) stamp[id] = `${JSON.stringify(settings)} ${name}`
  for (const { id, name, settings } of questions.toSorted(byAge)) stamp[id] = `${settings.type} ${name}`
  for (const { id, dimensions } of vectorsSettings) stamp[id] = String(dimensions)
  return JSON.stringify(stamp)
}

/**
 * Returns the records that must be read again after settings change. These are all records, because any of them may have values
 * from before a metadata property was added, and deleted values must be removed. Only searches by new settings wait for this.
 */
export function toRefill(before: string, after: string, fill: Fill | null): Fill {
  const [known, wanted]: [Stamp, Stamp] = [JSON.parse(before), JSON.parse(after)]
  const changed = Object.keys(wanted).filter(id => known[id] !== wanted[id])
  const missing = fill === null ? [] : fill.ids
  return { after: 0, ids: missing === null ? null : [...new Set([...missing, ...changed])] }
}

/** True if a query depends on values that are not in the index yet. */
export function isIncompleteFor(fill: Fill | null, query: SearchQuery | CountQuery): boolean {
  if (fill === null) return false
  if (fill.ids === null) return true
  if (fill.ids.length === 0) return false
  const asked = JSON.stringify(query)
  return fill.ids.some(id => (id.startsWith(FIELD) ? query.text !== null : asked.includes(id)))
}
