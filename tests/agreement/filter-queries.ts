/** Filters and sorts of every scope. Their values come from a record, so that the filter matches it. */
import { DomainError } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { SearchDocument, SearchValue } from '@postil/domain/search/document'
import { valuesOf } from '@postil/domain/search/naive'
import type { ExistsFilter, RangeFilter, Scope, TermsFilter } from '@postil/domain/search/query'
import { type ResolvedScope, resolveScope, type SearchDataset } from '@postil/domain/search/targets'
import type { Draw } from './draw.ts'
import type { Truth } from './truth.ts'

export type GivenFilter = TermsFilter | RangeFilter | ExistsFilter

/** A filter of one kind on one scope. */
export interface FilterPlan {
  kind: 'terms' | 'range' | 'exists'
  scope: Scope | ExistsFilter['scope']
  use: string
}

export function listScopes({ metadata_properties, questions }: SearchDataset): Scope[] {
  return [
    ...(['id', 'external_id', 'status', 'inserted_at', 'updated_at'] as const).map(
      (property): Scope => ({ entity: 'record', property }),
    ),
    ...metadata_properties.map(({ name }): Scope => ({ entity: 'metadata', metadata_property: name })),
    { entity: 'response', property: 'status' },
    ...questions.flatMap(({ name: question }): Scope[] => [
      { entity: 'response', question },
      ...(['value', 'score', 'agent', 'type'] as const).map((property): Scope => ({ entity: 'suggestion', question, property })),
    ]),
  ]
}

/** Lists only valid filters: a range of statuses is rejected. */
export function listFilterPlans(dataset: SearchDataset): FilterPlan[] {
  const scopes = listScopes(dataset)
  const plans = scopes.flatMap((scope): FilterPlan[] => [
    { kind: 'terms', scope, use: `terms ${toUse(scope)}` },
    ...(isStatus(scope) ? [] : [{ kind: 'range' as const, scope, use: `range ${toUse(scope)}` }]),
  ])
  const exists: ExistsFilter['scope'][] = [
    { entity: 'record', property: 'flag' },
    ...dataset.metadata_properties.map(({ name }) => ({ entity: 'metadata' as const, metadata_property: name })),
    ...(['suggestion', 'response'] as const).flatMap(entity => [
      { entity },
      ...dataset.questions.map(({ name: question }) => ({ entity, question })),
    ]),
  ]
  return [...plans, ...exists.map((scope): FilterPlan => ({ kind: 'exists', scope, use: `exists ${scope.entity}` }))]
}

/** Key for the coverage check: the entity and the property, without the names of a dataset. */
export const toUse = (scope: Scope): string =>
  `${scope.entity} ${('property' in scope ? scope.property : undefined) ?? (scope.entity === 'metadata' ? 'property' : 'value')}`

const isStatus = (scope: Scope) => scope.entity === 'response' && scope.question == null

/** Returns null if the values of the scope cannot be compared. */
export function resolvedOf(scope: Scope, dataset: SearchDataset): ResolvedScope | null {
  if (isStatus(scope)) return null
  return resolveScope(scope, { dataset, hidesMetadata: false, now: '2026-11-17T12:00:00.000001' })
}

export const isSortable = (scope: Scope, dataset: SearchDataset): boolean => {
  if (isStatus(scope)) return true
  const resolved = resolvedOf(scope, dataset)
  return resolved !== null && resolved.reading !== 'unordered'
}

/** Returns the values of a record for a filter; empty if it has none or if they cannot be compared. */
export function knownValues(plan: FilterPlan, truth: Truth, document: SearchDocument, userId: Id | null): SearchValue[] {
  if (plan.kind === 'exists') return []
  const resolved = resolvedOf(plan.scope as Scope, truth.dataset)
  return resolved === null ? [] : valuesOf(document, resolved.target, userId)
}

export function drawFilter(draw: Draw, plan: FilterPlan, truth: Truth, found: SearchDocument, userId: Id | null): GivenFilter {
  if (plan.kind === 'exists') return { type: 'exists', scope: plan.scope as ExistsFilter['scope'], exists: draw.chance(0.6) }
  const scope = plan.scope as Scope
  if (isStatus(scope))
    return { type: 'terms', scope, values: draw.some(['pending', 'draft', 'submitted', 'discarded', 'Draft'], 1, 2) }
  const reading = resolvedOf(scope, truth.dataset)?.reading ?? 'keyword'
  const other = knownValues(plan, truth, draw.pick(truth.documents), userId)
  const known = [...knownValues(plan, truth, found, userId), ...other]
  const one = known[0] ?? (reading === 'keyword' || reading === 'unordered' ? 'nothing' : 1)
  if (plan.kind === 'terms') return { type: 'terms', scope, values: toTerms(draw, reading, [one, ...known.slice(1, 3)]) }
  return toRange(draw, scope, reading, one, known.at(-1) ?? one)
}

function toTerms(draw: Draw, reading: ResolvedScope['reading'], values: SearchValue[]): string[] {
  if (reading === 'date') return values.map(value => toDateText(draw, String(value)))
  const texts = values.map(String)
  return draw.chance(0.3) && (reading === 'keyword' || reading === 'unordered') ? [...texts, 'no such value'] : texts
}

function toRange(draw: Draw, scope: Scope, reading: ResolvedScope['reading'], one: SearchValue, other: SearchValue): RangeFilter {
  const [low, high] = [one, other].toSorted((left, right) =>
    typeof left === 'number' && typeof right === 'number' ? left - right : String(left) < String(right) ? -1 : 1,
  ) as [SearchValue, SearchValue]
  const bounds = draw.pick(['ge', 'le', 'both'] as const)
  const toBound = (value: SearchValue) => (reading === 'date' ? String(value).replace('T', draw.pick(['T', ' '])) : value)
  return {
    type: 'range',
    scope,
    ...(bounds === 'le' ? {} : { ge: toBound(bounds === 'ge' ? one : low) }),
    ...(bounds === 'ge' ? {} : { le: toBound(bounds === 'le' ? one : high) }),
  } as RangeFilter
}

/** Formats the same time in one of the forms that the API accepts. */
function toDateText(draw: Draw, time: string): string {
  const forms = [time, `${time}Z`, `${time}000`, time.slice(0, 19), time.slice(0, 16), time.slice(0, 10)]
  return draw.pick([...forms, String(Date.parse(`${time.slice(0, 23)}Z`)), time.replace('T', ' '), `${time}+00:00`])
}

/** True for errors of the dataset's rules or the user's permissions. */
export const isRefusal = (error: unknown): error is DomainError => error instanceof DomainError
