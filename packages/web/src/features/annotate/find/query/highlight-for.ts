/** Returns the search hits in one field of one record. */
import type { Field } from '@postil/domain/fields'
import type { Highlight } from '../../../../fields/field-viewer.ts'
import { searchTerms } from '../../../../fields/search-terms.ts'
import type { QueueItem } from '../../queue/record-queue.ts'
import type { Criteria } from './criteria.ts'

export function highlightFor(
  { highlights }: Pick<QueueItem, 'highlights'>,
  { search }: Criteria,
  field: Field,
): Highlight | null {
  if (search === null || (search.field !== null && search.field !== field.name)) return null
  const given: unknown = highlights && Object.hasOwn(highlights, field.name) ? highlights[field.name] : null
  return { ranges: isRanges(given) ? given : null, terms: searchTerms(search.text) }
}

/** True for hits in plain text. Hits in a chat are grouped by message, and are highlighted by the words of the search. */
const isRanges = (given: unknown): given is [number, number][] =>
  Array.isArray(given) && given.every(range => Array.isArray(range) && range.length === 2)
