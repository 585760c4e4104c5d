/** Conditions and order in the query string, as clients of the 1.x line send them, in the terms of today's search. */
import { checkAt, invalid } from '../errors.ts'
import { toNumberBounds } from './numbers.ts'
import { checkBounds, type Filter, type OldParameters, type Order, type Sort } from './query.ts'
import {
  findMetadataProperty,
  type SearchMetadataProperty,
  type TargetContext,
  toMetadataTarget,
  toResponseStatusFilter,
} from './targets.ts'

export function toOldFilters(parameters: OldParameters, context: TargetContext): Filter[] {
  const filters = (parameters.metadata ?? []).map((text, i) => checkAt(['metadata', i], () => toMetadataFilter(text, context)))
  // `missing` is the word for `pending` before 1.25.
  const statuses = (parameters.response_status ?? []).map(status => (status === 'missing' ? 'pending' : status))
  return statuses.length === 0 ? filters : [...filters, toResponseStatusFilter(statuses)]
}

/** The order asked for by `sort_by`, first key first; empty when there is none. */
export function toOldSort(parameters: OldParameters, context: TargetContext): Sort[] {
  return (parameters.sort_by ?? []).map((text, i) => checkAt(['sort_by', i], () => toSortKey(text, context)))
}

/** `name:a,b` for terms, `name:{"ge": 1, "le": 5}` for numbers. */
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
  const wrong = checkBounds(bounds)
  if (wrong !== null) throw invalid(`The metadata condition on \`${name}\`: ${wrong}`)
  return bounds
}

/** Undefined when the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `inserted_at`, `updated_at` or `metadata.<name>`, and perhaps `:asc` or `:desc`. */
function toSortKey(text: string, context: TargetContext): Sort {
  const colon = text.lastIndexOf(':')
  const key = colon === -1 ? text : text.slice(0, colon)
  const order = colon === -1 ? 'asc' : text.slice(colon + 1)
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
