/** Validates a request against its dataset and converts it to a query for engines. Pure: the caller passes all stored data. */
import { checkAt, DomainError, invalid } from '../errors.ts'
import type { Id, Timestamp } from '../schema.ts'
import { toOldFilters, toOldSort } from './old-parameters.ts'
import { type OldParameters, RESULT_WINDOW_MAX, type SearchBody, type SearchQuery, type Sort } from './query.ts'
import { type SearchDataset, type TargetContext, toFilter, toSort } from './targets.ts'
import { parseTextQuery } from './text-query.ts'

export interface SearchOptions {
  /** The caller on `/me` routes, where only the caller's responses count; null on other routes. */
  userId: Id | null
  /** True for annotators: hidden metadata properties are treated as unknown. */
  hidesMetadata: boolean
  now: Timestamp
  offset: number
  limit: number
  /** Filters and sorts from the query string. */
  parameters?: OldParameters
  /** The record of `query.vector.record_id` with its vectors by settings id; null if the dataset does not have it. */
  similarRecord?: { vectors: ReadonlyMap<Id, readonly number[]> } | null
}

type VectorPart = NonNullable<NonNullable<SearchBody['query']>['vector']>
type TextPart = NonNullable<NonNullable<SearchBody['query']>['text']>

const BY_INSERTED_AT: Sort = { target: { kind: 'record', property: 'inserted_at', as: 'keyword' }, order: 'asc' }

/** Resolves the body of a search route. Throws `invalid` and `missing_vector`, in the order that existing clients expect. */
export function resolveSearch(body: SearchBody, dataset: SearchDataset, options: SearchOptions): SearchQuery {
  const query = resolve(body, dataset, options)
  checkWindow(options)
  return query
}

function resolve(body: SearchBody, dataset: SearchDataset, options: SearchOptions): SearchQuery {
  const context: TargetContext = { dataset, hidesMetadata: options.hidesMetadata, now: options.now }
  const parameters = options.parameters ?? {}
  const filters = (body.filters?.and ?? []).map((filter, i) => checkAt(['filters', 'and', i], () => toFilter(filter, context)))
  filters.push(...toOldFilters(parameters, context))
  const bodySort = body.sort?.map((entry, i) => checkAt(['sort', i], () => toSort(entry, context)))
  const sort = bodySort ?? toOldSort(parameters, context)
  const similar = body.query?.vector == null ? null : resolveVector(body.query.vector, dataset, options)
  const text = body.query?.text == null ? null : resolveText(body.query.text, dataset)

  const shuffled = sort.length === 0 && similar === null && text === null
  return {
    text,
    similar,
    filters,
    sort: similar === null ? sort : [],
    userId: options.userId,
    shuffleFor: shuffled ? options.userId : null,
    offset: options.offset,
    limit: options.limit,
  }
}

/**
 * Resolves the parameters of a list route. The list of all records is in order of insertion, the caller's own list is shuffled.
 */
export function resolveList(dataset: SearchDataset, options: SearchOptions): SearchQuery {
  const query = resolve({}, dataset, { ...options, offset: Math.max(0, options.offset) })
  return query.sort.length > 0 || query.shuffleFor !== null ? query : { ...query, sort: [BY_INSERTED_AT] }
}

function resolveVector(part: VectorPart, dataset: SearchDataset, options: SearchOptions): SearchQuery['similar'] {
  const settings = dataset.vectors_settings.find(settings => settings.name === part.name)
  if (settings === undefined)
    throw invalid(`There is no vector \`${part.name.slice(0, 200)}\` to compare with`, ['query', 'vector', 'name'])

  const recordId = part.record_id ?? null
  const value = recordId === null ? (part.value ?? []) : loadVector(recordId, settings, options.similarRecord ?? null)
  if (value.length !== settings.dimensions) {
    throw invalid(`The vector has ${value.length} dimensions, \`${settings.name}\` has ${settings.dimensions}`, [
      'query',
      'vector',
      'value',
    ])
  }
  if (value.every(number => number === 0)) throw invalid('A vector of zeros is similar to nothing', ['query', 'vector', 'value'])
  return { vectorSettingsId: settings.id, value: [...value], order: part.order ?? 'most_similar', excludeRecordId: recordId }
}

function loadVector(
  recordId: Id,
  settings: { id: Id; name: string },
  record: NonNullable<SearchOptions['similarRecord']> | null,
) {
  if (record === null) throw invalid(`The dataset has no record with id \`${recordId}\``, ['query', 'vector', 'record_id'])
  const value = record.vectors.get(settings.id)
  if (value === undefined) throw new DomainError('missing_vector', `Record \`${recordId}\` has no vector \`${settings.name}\``)
  return value
}

export function resolveText({ q, field }: TextPart, dataset: SearchDataset): SearchQuery['text'] {
  const name = field == null || field === '' ? null : field
  if (name !== null && !dataset.fields.some(field => field.name === name)) {
    throw invalid(`There is no field \`${name.slice(0, 200)}\` to search in`, ['query', 'text', 'field'])
  }
  const tree = checkAt(['query', 'text', 'q'], () => parseTextQuery(q))
  // A query that matches everything is not a condition, regardless of the field.
  return tree.kind === 'all' ? null : { tree, field: name }
}

function checkWindow({ offset, limit }: SearchOptions): void {
  if (offset + limit > RESULT_WINDOW_MAX) throw invalid(`Only the first ${RESULT_WINDOW_MAX} results can be paged through`)
}
