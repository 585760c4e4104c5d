/**
 * Validates scopes, filters and sorts of a request against the dataset and converts names to ids and values to their compared
 * form.
 */
import { invalid } from '../errors.ts'
import type { SearchAs } from '../questions/question-type.ts'
import { RESPONSE_STATUSES } from '../responses.ts'
import type { Id, Timestamp } from '../schema.ts'
import { toDateRange } from './dates.ts'
import { toDecimalText, toNumberBounds, toNumberRange } from './numbers.ts'
import type { Existing, ExistsFilter, Filter, Order, Range, RangeFilter, Scope, Sort, Target, TermsFilter } from './query.ts'

/** The settings of a dataset that a search needs. */
export interface SearchDataset {
  fields: readonly { name: string }[]
  questions: readonly SearchQuestion[]
  metadata_properties: readonly SearchMetadataProperty[]
  vectors_settings: readonly { id: Id; name: string; dimensions: number }[]
}

export interface SearchQuestion {
  id: Id
  name: string
  /** Defined by the question type. */
  searchAs: SearchAs
}

export interface SearchMetadataProperty {
  id: Id
  name: string
  /** Defined by the metadata property type. */
  searchAs: 'keyword' | 'integer' | 'float'
  visible_for_annotators: boolean
}

export interface TargetContext {
  dataset: SearchDataset
  /** True for annotators: hidden metadata properties are treated as unknown. */
  hidesMetadata: boolean
  now: Timestamp
}

/** How a request writes the values of a target. */
type Reading = 'keyword' | 'unordered' | 'integer' | 'float' | 'date'

export interface ResolvedScope {
  target: Target
  reading: Reading
}

interface Bounds {
  ge: string | number | null
  le: string | number | null
}

export function toFilter(filter: TermsFilter | RangeFilter | ExistsFilter, context: TargetContext): Filter {
  if (filter.type === 'exists') return toExistsFilter(filter, context)
  if (isResponseStatus(filter.scope)) {
    if (filter.type === 'range') throw invalid('The status of a response cannot be filtered by a range')
    return toResponseStatusFilter(filter.values)
  }
  const resolved = resolveScope(filter.scope, context)
  // Filters on suggestions without a property, and on values that are not indexed, match nothing.
  if (resolved === null || isUnnamedProperty(filter.scope)) return { kind: 'nothing' }
  return filter.type === 'terms'
    ? toTerms(resolved, filter.values, context.now)
    : toRange(resolved, toBounds(filter), context.now)
}

export function toSort(entry: { scope: Scope; order: Order }, context: TargetContext): Sort {
  if (isResponseStatus(entry.scope)) return { target: { kind: 'response_status', as: 'keyword' }, order: entry.order }
  const resolved = resolveScope(entry.scope, context)
  if (resolved === null || resolved.reading === 'unordered')
    throw invalid('Records cannot be sorted by the values of this question')
  return { target: resolved.target, order: entry.order }
}

function toExistsFilter({ scope, exists }: ExistsFilter, context: TargetContext): Filter {
  // Whether any response exists is a filter on the response status.
  if (scope.entity === 'response' && scope.question == null) {
    return exists
      ? { kind: 'response_status', statuses: [...RESPONSE_STATUSES], pending: false }
      : { kind: 'response_status', statuses: [], pending: true }
  }
  return { kind: 'exists', of: toExisting(scope, context), exists }
}

function toExisting(scope: ExistsFilter['scope'], context: TargetContext): Existing {
  switch (scope.entity) {
    case 'record':
      return { kind: 'flag' }
    case 'metadata': {
      const property = loadMetadataProperty(scope.metadata_property, context)
      return { kind: 'metadata', propertyId: property.id, as: property.searchAs === 'keyword' ? 'keyword' : 'number' }
    }
    case 'suggestion': {
      const { questions } = context.dataset
      const asked = scope.question == null ? questions : [loadQuestion(scope.question, context.dataset)]
      return { kind: 'suggestion', questionIds: asked.map(question => question.id) }
    }
    case 'response':
      return { kind: 'response', questionId: loadQuestion(scope.question ?? '', context.dataset).id }
  }
}

/** Ignores texts that are not a status, because they match nothing. */
export function toResponseStatusFilter(values: readonly string[]): Filter {
  const statuses = RESPONSE_STATUSES.filter(status => values.includes(status))
  const pending = values.includes('pending')
  return statuses.length === 0 && !pending ? { kind: 'nothing' } : { kind: 'response_status', statuses, pending }
}

export function findMetadataProperty(name: string, context: TargetContext): SearchMetadataProperty | null {
  const property = context.dataset.metadata_properties.find(property => property.name === name)
  return property === undefined || (context.hidesMetadata && !property.visible_for_annotators) ? null : property
}

export function toMetadataTarget(property: SearchMetadataProperty): Target {
  return { kind: 'metadata', propertyId: property.id, as: property.searchAs === 'keyword' ? 'keyword' : 'number' }
}

function isResponseStatus(scope: Scope): boolean {
  if (scope.entity !== 'response' || scope.question != null) return false
  if (scope.property == null) throw invalid('A response is filtered and sorted by a `question` or by `property: "status"`')
  return true
}

function isUnnamedProperty(scope: Scope): boolean {
  return scope.entity === 'suggestion' && scope.property === null
}

/** Returns null if the values are not comparable, as for text questions. */
export function resolveScope(scope: Scope, context: TargetContext): ResolvedScope | null {
  switch (scope.entity) {
    case 'record': {
      const property = scope.property === '_server_id' ? 'id' : scope.property
      const reading = property === 'inserted_at' || property === 'updated_at' ? 'date' : 'keyword'
      return { target: { kind: 'record', property, as: 'keyword' }, reading }
    }
    case 'metadata': {
      const property = loadMetadataProperty(scope.metadata_property, context)
      return { target: toMetadataTarget(property), reading: property.searchAs }
    }
    case 'suggestion': {
      const question = loadQuestion(scope.question, context.dataset)
      const property = scope.property ?? 'value'
      const reading = property === 'value' ? question.searchAs : property === 'score' ? 'float' : 'keyword'
      if (reading === 'none') return null
      return { target: { kind: 'suggestion', property, ...toNames(question), as: toComparison(reading) }, reading }
    }
    case 'response': {
      const question = loadQuestion(scope.question ?? '', context.dataset)
      if (question.searchAs === 'none') return null
      const as = toComparison(question.searchAs)
      return { target: { kind: 'response', ...toNames(question), as }, reading: question.searchAs }
    }
  }
}

function loadMetadataProperty(name: string, context: TargetContext): SearchMetadataProperty {
  const property = findMetadataProperty(name, context)
  if (property === null) throw invalid(`There is no metadata property \`${name}\` to filter or sort by`)
  return property
}

function loadQuestion(name: string, dataset: SearchDataset): SearchQuestion {
  const question = dataset.questions.find(question => question.name === name)
  if (question === undefined) throw invalid(`There is no question \`${name}\` to filter or sort by`)
  return question
}

function toNames(question: SearchQuestion) {
  return { questionId: question.id, questionName: question.name }
}

function toComparison(reading: Reading): 'keyword' | 'number' {
  return reading === 'integer' || reading === 'float' ? 'number' : 'keyword'
}

function toTerms({ target, reading }: ResolvedScope, values: string[], now: Timestamp): Filter {
  switch (reading) {
    case 'keyword':
    case 'unordered':
      return { kind: 'values', target, values }
    case 'date':
      return { kind: 'text_ranges', target, ranges: values.map(value => toDateRange(value, now)) }
    default:
      return { kind: 'number_ranges', target, ranges: values.map(value => toNumberRange(value, reading)) }
  }
}

function toRange({ target, reading }: ResolvedScope, bounds: Bounds, now: Timestamp): Filter {
  switch (reading) {
    case 'keyword':
      return { kind: 'text_ranges', target, ranges: [toTextBounds(bounds)] }
    case 'unordered':
      return { kind: 'nothing' }
    case 'date':
      return { kind: 'text_ranges', target, ranges: [toDateBounds(bounds, now)] }
    default:
      return { kind: 'number_ranges', target, ranges: [toNumberBounds(bounds, reading)] }
  }
}

function toBounds({ ge, le }: RangeFilter): Bounds {
  const toBound = (bound: RangeFilter['ge']) => (typeof bound === 'boolean' ? Number(bound) : (bound ?? null))
  return { ge: toBound(ge), le: toBound(le) }
}

function toTextBounds({ ge, le }: Bounds): Range<string> {
  const toText = (bound: string | number) => (typeof bound === 'number' ? toDecimalText(bound) : bound)
  return { from: ge === null ? null : toText(ge), to: le === null ? null : toText(le) }
}

function toDateBounds({ ge, le }: Bounds, now: Timestamp): Range<string> {
  return { from: ge === null ? null : toDateRange(ge, now).from, to: le === null ? null : toDateRange(le, now).to }
}
