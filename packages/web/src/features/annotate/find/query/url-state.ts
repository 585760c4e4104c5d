/** Converts between the URL and the view. Old links can still be read; newer features extend the same grammar. */
import type { LocationQuery } from 'vue-router'
import { PAGE_SIZES } from '../../../../dataset-options.ts'
import { type Criteria, type CriteriaFilter, type FilterValue, QUEUES, type Similarity, type SortKey } from './criteria.ts'
import { decodePart, type Entry, encodePart, readEntries, writeEntry, writeRange } from './url-parts.ts'

const one = (value: LocationQuery[string] | undefined): string => (Array.isArray(value) ? value[0] : value) ?? ''

export const BULK_SIZES = PAGE_SIZES

export interface Place {
  /** Starts at 0. */
  position: number
  /** Records per page in the bulk view; null in the focus view. */
  bulkSize: number | null
  /** Record that is shown regardless of the queue. */
  recordId: string | null
}

/** `bulkDefault`: page size of the bulk view, if a URL without a page or record opens in it. */
export function readPlace(query: LocationQuery, bulkDefault: number | null = null): Place {
  const [first, size] = (one(query.page) || '1').split('~').map(Number)
  const position = Number.isInteger(first) && Number(first) > 0 ? Number(first) - 1 : 0
  const isBare = one(query.page) === '' && one(query.record) === ''
  const bulkSize = isBare ? bulkDefault : (BULK_SIZES.find(known => known === size) ?? null)
  return { position, bulkSize, recordId: one(query.record) || null }
}

export const writePlace = ({ position, bulkSize, recordId }: Place): Record<string, string> => ({
  page: bulkSize === null ? String(position + 1) : `${position + 1}~${bulkSize}`,
  ...(recordId === null ? {} : { record: recordId }),
})

export function readCriteria(query: LocationQuery): Criteria {
  return {
    queue: QUEUES.find(name => name === one(query.status)) ?? 'pending',
    search: readSearch(one(query.search)),
    filters: [
      ...readEntries(one(query.metadata)).flatMap(entry => readFilter('metadata', entry)),
      ...readEntries(one(query.response)).flatMap(entry => readFilter('response', entry)),
      ...readEntries(one(query.suggestion)).flatMap(entry => readSuggestion(entry)),
      ...readEntries(one(query.record_filter)).flatMap(entry => readFilter('record', entry)),
    ],
    sort: readEntries(one(query.sort)).flatMap(readSort),
    similarity: readSimilarity(one(query.similarity)),
  }
}

export function writeCriteria({ queue, search, filters, sort, similarity }: Criteria): Record<string, string> {
  const of = (kind: CriteriaFilter['target']['of']) =>
    filters
      .filter(({ target }) => target.of === kind)
      .map(writeFilter)
      .join('~')
  const entries = {
    status: queue,
    search: search
      ? [search.text, search.field]
          .filter(part => part !== null)
          .map(encodePart)
          .join('~')
      : '',
    metadata: of('metadata'),
    response: of('response'),
    suggestion: of('suggestion'),
    record_filter: of('record'),
    sort: sort.map(writeSort).join('~'),
    similarity: similarity ? writeSimilarity(similarity) : '',
  }
  return Object.fromEntries(Object.entries(entries).filter(([, text]) => text !== ''))
}

function readSearch(text: string): Criteria['search'] {
  const [words = '', field] = text.split('~')
  const plain = decodePart(words.replaceAll('_', ' ')).trim()
  return plain === '' ? null : { text: plain, field: field ? decodePart(field) : null }
}

const ANY = '*'
/** Values that would be read as keywords in the first position. */
const WORDS: ReadonlySet<string> = new Set(['values', 'exists', 'dates', 'operator'])

function readFilter(of: 'metadata' | 'response' | 'record', { parts: [name, ...rest], range }: Entry): CriteriaFilter[] {
  const value = range ? ({ kind: 'range', ...range } as const) : readValues(rest)
  if (!name || value === null) return []
  return [{ target: { of, name: name === ANY ? null : name, property: 'value' }, value }]
}

function readSuggestion({ parts: [name, property = '', ...rest], range }: Entry): CriteriaFilter[] {
  const known = (['value', 'score', 'agent'] as const).find(one => one === property)
  if (!name || !known) return []
  const value = range ? ({ kind: 'range', ...range } as const) : readValues(rest)
  return value ? [{ target: { of: 'suggestion', name: name === ANY ? null : name, property: known }, value }] : []
}

/** `a.b`, `values.a.b`, `operator.and.values.a.b`, `exists.true`, `dates.2026-01-01.2026-02-01`. */
function readValues(parts: string[]): FilterValue | null {
  const [first, second = ''] = parts
  if (first === 'exists') return { kind: 'exists', exists: second !== 'false' }
  if (first === 'dates') return { kind: 'dates', from: second || null, to: parts[2] || null }
  if (first === 'operator' && parts[2] === 'values') return { kind: 'terms', values: parts.slice(3), isAll: second === 'and' }
  const values = first === 'values' ? parts.slice(1) : parts
  return values.length === 0 ? null : { kind: 'terms', values }
}

function writeFilter({ target: { of, name, property }, value }: CriteriaFilter): string {
  const head = [name === null ? ANY : encodePart(name), ...(of === 'suggestion' ? [property] : [])]
  return [...head, writeValue(value, of)].join('.')
}

function writeValue(value: FilterValue, of: CriteriaFilter['target']['of']): string {
  switch (value.kind) {
    case 'range':
      return writeRange(value)
    case 'exists':
      return `exists.${value.exists}`
    case 'dates':
      return writeEntry('dates', value.from ?? '', value.to ?? '')
    case 'terms': {
      const values = value.values.map(encodePart).join('.')
      if (of === 'metadata' && !WORDS.has(value.values[0] ?? '')) return values
      return value.isAll === undefined ? `values.${values}` : `operator.${value.isAll ? 'and' : 'or'}.values.${values}`
    }
  }
}

const ENTITIES = ['metadata', 'response', 'suggestion', 'record'] as const

function readSort({ parts }: Entry): SortKey[] {
  const [entity = '', name = '', third = '', fourth] = parts
  const of = ENTITIES.find(known => known === entity)
  const order = (fourth ?? third) === 'desc' ? 'desc' : 'asc'
  return of && name ? [{ of, name, property: fourth !== undefined && third === 'score' ? 'score' : 'value', order }] : []
}

const writeSort = ({ of, name, property, order }: SortKey) =>
  of === 'suggestion' ? writeEntry(of, name, property, order) : writeEntry(of, name, order)

const SIMILARITY = /^record\.(.+?)\.vector\.(.+)\.limit\.(\d+)\.order\.(most|least)$/
const SIMILAR_MAX = 200

function readSimilarity(text: string): Similarity | null {
  const [, recordId, vector, limit, order] = SIMILARITY.exec(text) ?? []
  if (!recordId || !vector) return null
  const size = Math.min(SIMILAR_MAX, Math.max(1, Number(limit)))
  return { recordId: decodePart(recordId), vector: decodePart(vector), limit: size, order: order === 'least' ? 'least' : 'most' }
}

const writeSimilarity = ({ recordId, vector, limit, order }: Similarity) =>
  writeEntry('record', recordId, 'vector', vector, 'limit', String(limit), 'order', order)
