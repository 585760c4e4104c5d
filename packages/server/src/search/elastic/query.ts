/** Converts searches to requests of the engines, and responses to hits. Only record numbers and scores are fetched. */
import { invalid } from '@postil/domain/errors'
import { RESULT_WINDOW_MAX, type SearchQuery } from '@postil/domain/search/query'
import { toQueryVector } from '../embedded/vectors/cosine.ts'
import type { SearchedDataset, SearchHits } from '../engine.ts'
import type { Clause, Flavour } from './flavour.ts'
import { RECORD_NO, textPath, vectorPath } from './keys.ts'
import { indexedDimensions } from './mapping.ts'
import { toCompleteAnswer } from './query-answer.ts'
import { filterOf, noneOf } from './query-clauses.ts'
import { toFilterClause } from './query-filters.ts'
import { CLAUSES_MAX, checkTextClauses, countClauses, toAcceptedQuery } from './query-limits.ts'
import { BY_SCORE, toOrder, toShuffle } from './query-sort.ts'
import { toTextQuery } from './text.ts'

/** Maximum number of neighbours that a search can page through. */
const NEAREST_MAX = 1000

type Similar = NonNullable<SearchQuery['similar']>
type TextPart = NonNullable<SearchQuery['text']>

/** Parameters of search requests, which counts do not have. */
const HITS = { track_total_hits: true, _source: false, stored_fields: '_none_', docvalue_fields: [RECORD_NO] }

/**
 * Returns the body of a search request, or null if nothing can be found. Throws `invalid` if the query exceeds a limit of the
 * engine.
 */
export function toSearchRequest(dataset: SearchedDataset, query: SearchQuery, flavour: Flavour): object | null {
  const { similar, offset, limit } = query
  if (similar !== null) return toSimilarRequest(dataset, query, similar, flavour)
  // Lists may request any page. For pages beyond the engine's window, only the total is requested.
  const page = isBeyondWindow(query) ? { from: 0, size: 0 } : { from: offset, size: limit }
  return { ...HITS, ...page, sort: toOrder(query), query: toAcceptedQuery(toMatch(dataset, query)) }
}

const isBeyondWindow = ({ offset, limit }: SearchQuery) => offset + limit > RESULT_WINDOW_MAX

/** Matches a text in all fields or one field, without scores. */
export const toTextFilter = (dataset: SearchedDataset, text: TextPart): Clause =>
  checkTextClauses(toTextClause(dataset, text, false))

function toTextClause({ textFields }: SearchedDataset, { tree, field }: TextPart, scored: boolean): Clause {
  const searched = field === null ? textFields : textFields.filter(name => name === field)
  return toTextQuery(tree, { paths: searched.map(textPath), scored })
}

function toMatch(dataset: SearchedDataset, query: SearchQuery): Clause {
  const { text, sort, shuffleFor } = query
  if (shuffleFor !== null) return { bool: { filter: toConditions(dataset, query), should: toShuffle(shuffleFor) } }
  if (text === null || sort.length > 0) return filterOf(toConditions(dataset, query))
  const filter = toConditions(dataset, { ...query, text: null })
  const match = { bool: { must: [toTextClause(dataset, text, true)], filter } }
  return countClauses(match) <= CLAUSES_MAX ? match : { bool: { must: [toTextFilter(dataset, text)], filter } }
}

function toConditions(dataset: SearchedDataset, { text, filters, userId }: SearchQuery): Clause[] {
  const clauses = filters.map(filter => toFilterClause(filter, userId))
  return text === null ? clauses : [toTextFilter(dataset, text), ...clauses]
}

/** Finds the nearest neighbours among the records that match the text and the filters. */
function toSimilarRequest(dataset: SearchedDataset, query: SearchQuery, similar: Similar, flavour: Flavour): object | null {
  const { vectorSettingsId, value, order, excludeRecordId } = similar
  const { offset } = query
  if (offset >= NEAREST_MAX) return null
  const room = indexedDimensions(value.length, flavour) - value.length
  if (room < 0) {
    throw invalid(
      `The search engine can compare vectors of at most ${flavour.vectorDimensionsMax} dimensions, not of ${value.length}`,
      ['query', 'vector', 'name'],
    )
  }
  const excluded = excludeRecordId === null ? [] : [noneOf([{ term: { id: excludeRecordId } }])]
  const filter = toAcceptedQuery(filterOf([...toConditions(dataset, query), ...excluded]))
  const vector = [...toQueryVector(value, order), ...Array<number>(room).fill(0)]
  const wanted = toNeighbours(query)
  return {
    ...HITS,
    from: offset,
    size: wanted - offset,
    sort: BY_SCORE,
    ...flavour.toNearest({ path: vectorPath(vectorSettingsId), vector, wanted, filter }),
  }
}

const toNeighbours = ({ offset, limit }: SearchQuery): number => Math.min(offset + limit, NEAREST_MAX)

interface SearchAnswer {
  hits: {
    total: { value: number }
    hits: { _score: number | null; fields: { record_no: [number] } }[]
  }
}

/**
 * Parses a response. Throws `unavailable` if it does not cover the whole index, and `invalid` if the page is beyond the engine's
 * window.
 */
export function fromSearchAnswer(query: SearchQuery, answer: unknown, flavour: Flavour): SearchHits {
  const { total, hits } = toCompleteAnswer<SearchAnswer>(answer).hits
  if (query.similar === null && isBeyondWindow(query) && total.value > query.offset) {
    throw invalid(`Only the first ${RESULT_WINDOW_MAX} results can be paged through`)
  }
  return {
    hits: hits.map(hit => ({ recordNo: hit.fields.record_no[0], score: toScore(query, hit._score, flavour) })),
    total: query.similar === null ? total.value : Math.min(total.value, toNeighbours(query)),
  }
}

/** Returns null if records are sorted by keys. The score is 1 if there is no text, similarity or shuffle. */
function toScore({ sort, text, similar, shuffleFor }: SearchQuery, score: number | null, flavour: Flavour): number | null {
  if (sort.length > 0) return null
  if (similar !== null) return score === null ? null : flavour.fromNearestScore(score)
  return text === null && shuffleFor === null ? 1 : score
}
