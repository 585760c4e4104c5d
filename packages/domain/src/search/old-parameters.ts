/** Converts filters and sorts in the query string of 1.x clients to the current search. */
import { checkAt, invalid } from '../errors.ts'
import { toNumberBounds } from './numbers.ts'
import { checkRangeBounds, type Filter, type OldParameters, type Order, type Sort } from './query.ts'
import {
  findMetadataProperty,
  type SearchMetadataProperty,
  type TargetContext,
  toMetadataTarget,
  toResponseStatusFilter,
} from './targets.ts'

export function toOldFilters(parameters: OldParameters, context: TargetContext): Filter[] {
  const filters = (parameters.metadata ?? []).map((text, i) => checkAt(['metadata', i], () => toMetadataFilter(text, context)))
  // Before 1.25, `pending` was called `missing`.
  const statuses = (parameters.response_status ?? []).map(status => (status === 'missing' ? 'pending' : status))
  return statuses.length === 0 ? filters : [...filters, toResponseStatusFilter(statuses)]
}

/** Returns the sort keys of `sort_by` in order; empty if there are none. */
export function toOldSort(parameters: OldParameters, context: TargetContext): Sort[] {
  return (parameters.sort_by ?? []).map((text, i) => checkAt(['sort_by', i], () => toSortKey(text, context)))
}

/** Parses `name:a,b` for terms and `name:{"ge": 1, "le": 5}` for numbers. */
function toMetadataFilter(text: string, context: TargetContext): Filter {
  const colon = text.indexOf(':')
  const property = loadProperty(text.slice(0, colon), context)
  const value = text.slice(colon + 1)
  const target = toMetadataTarget(property)
  if (property.searchAs === 'keyword') return { kind: 'values', target, values: value.split(',') }
  return { kind: 'number_ranges', target, ranges: [toNumberBounds(parseBounds(value, property.name), property.searchAs)] }
}

function parseBounds(text: string, name: string): { ge: number | null; le: number | null } {
  const problem = `The metadata condition on \`${name}\` must look like {"ge": 1, "le": 5}`
  const parsed = parseJson(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw invalid(problem)
  const bound = (key: 'ge' | 'le'): number | null => {
    const value: unknown = Object.hasOwn(parsed, key) ? Reflect.get(parsed, key) : null
    if (value !== null && typeof value !== 'number') throw invalid(problem)
    return value
  }
  const bounds = { ge: bound('ge'), le: bound('le') }
  const wrong = checkRangeBounds(bounds)
  if (wrong !== null) throw invalid(`The metadata condition on \`${name}\`: ${wrong}`)
  return bounds
}

/** Returns undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses `inserted_at`, `updated_at` or `metadata.<name>`, optionally with `:asc` or `:desc`. */
function toSortKey(text: string, context: TargetContext): Sort {
  const colon = text.lastIndexOf(':')
  // On Python 3.11 and newer, the 1.29 client sends the names of its enum members.
  const key = (colon === -1 ? text : text.slice(0, colon)).replace(/^RecordSortField\./, '')
  const order = colon === -1 ? 'asc' : text.slice(colon + 1).replace(/^SortOrder\./, '')
  if (!isOrder(order)) throw invalid('The order in `sort_by` must be `asc` or `desc`')
  if (key === 'inserted_at' || key === 'updated_at') return { target: { kind: 'record', property: key, as: 'keyword' }, order }
  if (!key.startsWith('metadata.')) throw invalid('`sort_by` takes inserted_at, updated_at or metadata.<property name>')
  return { target: toMetadataTarget(loadProperty(key.slice('metadata.'.length), context)), order }
}

function isOrder(text: string): text is Order {
  return text === 'asc' || text === 'desc'
}

function loadProperty(name: string, context: TargetContext): SearchMetadataProperty {
  const property = findMetadataProperty(name, context)
  if (property === null) throw invalid(`There is no metadata property \`${name.slice(0, 200)}\` to filter or sort by`)
  return property
}
