/** Three hundred queries, generated from a seed and the records of the dataset: the same in every run. */
import type { Id } from '@postil/domain/schema'
import { QUEUES } from '@postil/domain/search/counts'
import type { SearchDocument } from '@postil/domain/search/document'
import type { Scope, SearchBody } from '@postil/domain/search/query'
import { createDraw, type Draw } from './draw.ts'
import {
  drawFilter,
  type FilterPlan,
  isSortable,
  knownValues,
  listFilterPlans,
  listScopes,
  resolvedOf,
  toUse,
} from './filter-queries.ts'
import { PEOPLE, type PersonName } from './records.ts'
import { FIELDS, PROPERTY } from './settings.ts'
import type { Page, TestQuery } from './test-query.ts'
import { drawTextQuery, TEXT_OPERATORS } from './text-queries.ts'
import type { Truth } from './truth.ts'

export const QUERIES = 300
/** Number of queries of each kind. The rest are lists, metrics and progress. */
const TEXTS = 75
const FILTERS = 92
const SORTS = 44
const SIMILAR = 30
const SHUFFLES = 8
const COUNTS = 26

interface GivenSort {
  scope: Scope
  order: 'asc' | 'desc'
}

interface Drawing {
  draw: Draw
  truth: Truth
  people: Record<PersonName, Id>
  plans: () => FilterPlan
  sorts: () => GivenSort
}

/** The user and the route of a query. Annotators may only use the `/me` route. */
interface Asker {
  as: PersonName
  mine: boolean
  userId: Id | null
}

export function drawQueries(seed: number, truth: Truth, people: Record<PersonName, Id>): TestQuery[] {
  const draw = createDraw(seed)
  const plans = cycle(listFilterPlans(truth.dataset), draw)
  const sortable = listScopes(truth.dataset).filter(scope => isSortable(scope, truth.dataset))
  const sorts = cycle(
    sortable.flatMap((scope): GivenSort[] => [
      { scope, order: 'asc' },
      { scope, order: 'desc' },
    ]),
    draw,
  )
  const drawing: Drawing = { draw, truth, people, plans, sorts }
  const times = (count: number, make: (drawing: Drawing, at: number) => TestQuery) =>
    Array.from({ length: count }, (_, at) => make(drawing, at))
  const drawn = [
    ...times(TEXTS, aTextSearch),
    ...times(FILTERS, aFilterSearch),
    ...times(SORTS, aSortedSearch),
    ...times(SIMILAR, aSimilarSearch),
    ...times(SHUFFLES, aPlainSearch),
    ...times(COUNTS, aCount),
    ...figures(drawing),
  ]
  return [...drawn, ...times(QUERIES - drawn.length, aList)]
}

/** Returns the items in turn, in random order, and starts again at the end. */
function cycle<T>(all: readonly T[], draw: Draw): () => T {
  let left: T[] = []
  return () => {
    if (left.length === 0) left = [...all]
    return left.splice(draw.below(left.length), 1)[0] as T
  }
}

function drawAsker({ draw, people }: Drawing): Asker {
  const as = draw.pick(PEOPLE)
  const mine = as === 'ann' || as === 'ben' || draw.chance(0.4)
  return { as, mine, userId: mine ? people[as] : null }
}

const drawPage = ({ draw }: Drawing): Page =>
  draw.pick([
    { offset: 0, limit: 1000 },
    { offset: 0, limit: 50 },
    { offset: draw.below(30), limit: 1 + draw.below(20) },
  ])

function toSearch({ as, mine }: Asker, body: SearchBody, page: Page, uses: string[]): TestQuery {
  const isSorted = (body.sort ?? []).length > 0
  const route = mine ? 'me' : 'datasets'
  return { as, request: { kind: 'search', mine, body, ...page }, uses: [...uses, route, ...(isSorted ? ['sorted'] : [])] }
}

function aTextSearch(drawing: Drawing, at: number): TestQuery {
  const { draw, truth } = drawing
  const asker = drawAsker(drawing)
  const operator = TEXT_OPERATORS[at % TEXT_OPERATORS.length] ?? ''
  const document = draw.pick(truth.documents)
  const field = draw.chance(0.3) ? draw.pick(FIELDS).name : null
  const q = drawTextQuery(draw, document, operator, field)
  const filtered = draw.chance(0.2) ? drawFilters(drawing, asker, 1, document) : null
  const sort = draw.chance(0.4) ? drawSort(drawing, 1) : null
  const body = {
    query: { text: { q, field } },
    ...(filtered && { filters: { and: filtered.and } }),
    ...(sort && { sort: sort.sort }),
  }
  const uses = [`text ${operator}`, ...(field === null ? [] : ['text field']), ...(filtered?.uses ?? []), ...(sort?.uses ?? [])]
  return toSearch(asker, body, drawPage(drawing), uses)
}

function aFilterSearch(drawing: Drawing): TestQuery {
  const { draw } = drawing
  const asker = drawAsker(drawing)
  const { and, uses } = drawFilters(drawing, asker, draw.pick([1, 1, 1, 2, 2, 3]))
  const sort = draw.chance(0.3) ? drawSort(drawing, 1) : null
  return toSearch(asker, { filters: { and }, ...(sort && { sort: sort.sort }) }, drawPage(drawing), [
    ...uses,
    ...(sort?.uses ?? []),
  ])
}

function aSortedSearch(drawing: Drawing): TestQuery {
  const { draw } = drawing
  const asker = drawAsker(drawing)
  const { sort, uses } = drawSort(drawing, draw.pick([1, 2, 2, 3]))
  const filtered = draw.chance(0.4) ? drawFilters(drawing, asker, 1) : null
  const body = { sort, ...(filtered && { filters: { and: filtered.and } }) }
  return toSearch(asker, body, drawPage(drawing), [...uses, ...(filtered?.uses ?? [])])
}

/** Draws filters that one record matches, if it has a value for each. */
function drawFilters({ draw, truth, plans }: Drawing, { as, userId }: Asker, count: number, given?: SearchDocument) {
  const first = plans()
  const having = truth.documents.filter(document => knownValues(first, truth, document, userId).length > 0)
  const document = given ?? draw.pick(having.length === 0 ? truth.documents : having)
  const chosen = [first, ...Array.from({ length: count - 1 }, plans)].filter(plan => !isHiddenFrom(as, plan, draw))
  const used =
    chosen.length === 0 ? [{ kind: 'exists', scope: { entity: 'suggestion' }, use: 'exists suggestion' } as FilterPlan] : chosen
  return { and: used.map(plan => drawFilter(draw, plan, truth, document, userId)), uses: used.map(({ use }) => use) }
}

/** One in four filters on hidden properties stays, to check that it is rejected. */
function isHiddenFrom(as: PersonName, { scope }: Pick<FilterPlan, 'scope'>, draw: Draw): boolean {
  const isHidden = scope.entity === 'metadata' && scope.metadata_property === PROPERTY.hidden && (as === 'ann' || as === 'ben')
  return isHidden && draw.chance(0.75)
}

function drawSort({ sorts }: Drawing, count: number) {
  const sort = Array.from({ length: count }, sorts)
  return { sort, uses: sort.map(({ scope, order }) => `sort ${toUse(scope)} ${order}`) }
}

function aSimilarSearch(drawing: Drawing): TestQuery {
  const { draw, truth } = drawing
  const asker = drawAsker(drawing)
  const settings = draw.pick(truth.dataset.vectors_settings)
  const having = truth.documents.filter(({ vectors }) => vectors.get(settings.id)?.some(number => number !== 0))
  const document = draw.pick(having)
  const order = draw.pick(['most_similar', 'least_similar'] as const)
  const like = draw.chance(0.5)
    ? { record_id: document.id }
    : { value: Array.from({ length: settings.dimensions }, () => draw.below(2001) / 1000 - 1 || 1) }
  const filtered = draw.chance(0.4) ? drawFilters(drawing, asker, 1) : null
  const text = draw.chance(0.2) ? { q: drawTextQuery(draw, draw.pick(having), 'or', null) } : null
  const body = {
    query: { vector: { name: settings.name, order, ...like }, text },
    ...(filtered && { filters: { and: filtered.and } }),
  }
  const uses = [`similar ${order}`, 'record_id' in like ? 'similar to a record' : 'similar to a value']
  return toSearch(asker, body, drawPage(drawing), [
    ...uses,
    ...(filtered?.uses ?? []),
    ...(text === null ? [] : ['similar text']),
  ])
}

/** The queue of an annotator, without text and sort. */
function aPlainSearch(drawing: Drawing, at: number): TestQuery {
  const asker = drawAsker(drawing)
  return toSearch(asker, at % 2 === 0 ? {} : { query: { text: { q: '*' } } }, drawPage(drawing), ['plain'])
}

function aCount(drawing: Drawing): TestQuery {
  const { draw, truth, people } = drawing
  const as = draw.pick(PEOPLE)
  const asker = { as, mine: true, userId: people[as] }
  const scopes = listScopes(truth.dataset).filter(
    scope => scope.entity !== 'record' && resolvedOf(scope, truth.dataset) !== null && !isHiddenFrom(as, { scope }, draw),
  )
  const of = draw.some(scopes, 1, 6)
  const filtered = draw.chance(0.6) ? drawFilters(drawing, asker, 1) : null
  const text = draw.chance(0.4) ? { q: drawTextQuery(draw, draw.pick(truth.documents), 'or', null) } : null
  const body = {
    of: of as never,
    exclude_own: draw.chance(0.5),
    response_status: draw.pick([null, ...QUEUES]),
    ...(text && { query: { text } }),
    ...(filtered && { filters: { and: filtered.and } }),
  }
  return { as, request: { kind: 'counts', body }, uses: ['counts', ...of.map(scope => `count ${toUse(scope)}`)] }
}

/** Metrics of each property, and the progress of all users. */
function figures({ truth }: Drawing): TestQuery[] {
  const metrics = truth.properties.map(
    (property): TestQuery => ({ as: 'owner', request: { kind: 'metrics', propertyId: property.id }, uses: ['metrics'] }),
  )
  const mine = PEOPLE.map((as): TestQuery => ({ as, request: { kind: 'my_metrics' }, uses: ['my metrics'] }))
  const all = (['progress', 'users_progress', 'agents'] as const).map(
    (kind): TestQuery => ({ as: 'owner', request: { kind }, uses: [kind] }),
  )
  return [...metrics, ...mine, ...all]
}

/** List requests of older clients, with conditions in the query string. */
function aList(drawing: Drawing, at: number): TestQuery {
  const { draw } = drawing
  const { as, mine } = drawAsker(drawing)
  const response_status = draw.some(['draft', 'submitted', 'discarded', 'pending', 'missing'] as const, 0, 2)
  const metadata = draw.some([`${PROPERTY.source}:web,mail`, `${PROPERTY.integer}:{"ge": 3, "le": 30}`], at % 2, 1)
  const sort_by = draw.some(['inserted_at:desc', `metadata.${PROPERTY.float}:asc`, `metadata.${PROPERTY.source}:desc`], 0, 2)
  return {
    as,
    request: { kind: 'list', mine, parameters: { response_status, metadata, sort_by }, ...drawPage(drawing) },
    uses: ['list'],
  }
}
