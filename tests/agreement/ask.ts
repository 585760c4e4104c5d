/** Sends a query over HTTP and runs the same query with domain's reference search over the stored records. */
import { isDeepStrictEqual } from 'node:util'
import type { Id } from '@postil/domain/schema'
import { resolveCounts } from '@postil/domain/search/counts'
import { searchNaively } from '@postil/domain/search/naive'
import { countNaively } from '@postil/domain/search/naive-counts'
import type { SearchQuery } from '@postil/domain/search/query'
import { resolveList, resolveSearch } from '@postil/domain/search/resolve'
import { toShuffleBucket, userShuffleOrder } from '@postil/server/search/shuffle'
import type { Answer } from '../contract/http.ts'
import type { ComparedDataset } from './dataset.ts'
import { expectedFigure } from './figures.ts'
import { isRefusal } from './filter-queries.ts'
import type { Request, TestQuery } from './test-query.ts'
import type { Truth } from './truth.ts'

const WHOLE = { offset: 0, limit: 1000 }
const SIMILAR_MAX = 1000

/** `difference` is one line of text; null if there is none. */
export interface Outcome {
  /** Number of records found; null for queries that do not return records. */
  hits: number | null
  difference: string | null
}

export async function ask(compared: ComparedDataset, truth: Truth, asked: TestQuery): Promise<Outcome> {
  const { request } = asked
  if (request.kind === 'search' || request.kind === 'list') return askSearch(compared, truth, asked, request)
  const answer = await send(compared, asked, toPath(compared.datasetId, request), 'body' in request ? request.body : undefined)
  const wanted = expectedOf(() => expectedAnswer(compared, truth, asked.as, request))
  return { hits: null, difference: compareAnswers(answer, wanted) }
}

function expectedAnswer(
  { people }: ComparedDataset,
  truth: Truth,
  as: TestQuery['as'],
  request: Exclude<Request, SearchRequest>,
): unknown {
  if (request.kind !== 'counts') return expectedFigure(truth, request, people, as)
  const { body } = request
  const query = resolveCounts(body, truth.dataset, { userId: people[as].id, hidesMetadata: isAnnotator(as), now: now() })
  const counts = countNaively(truth.documents, query)
  return { ...counts, targets: counts.targets.map((count, at) => ({ target: body.of?.[at], ...count })) }
}

type SearchRequest = Extract<Request, { kind: 'search' | 'list' }>

async function askSearch(compared: ComparedDataset, truth: Truth, asked: TestQuery, request: SearchRequest): Promise<Outcome> {
  const answer = await send<Found>(compared, asked, toPath(compared.datasetId, request), toBody(request))
  const query = expectedOf(() => toQuery(compared, truth, asked, request))
  if (query.refused || answer.status !== 200) return { hits: null, difference: compareAnswers(answer, query) }
  const { ids, total } = expectedHits(truth, query.value)
  const found = toIds(answer.body)
  const name = namesOf(truth)
  if (answer.body.total !== total) return { hits: total, difference: `total ${answer.body.total}, expected ${total}` }
  if (isOrdered(query.value)) return { hits: total, difference: compareLists(found.map(name), ids.map(name)) }
  // Relevance differs between engines. Checks that the records are the same, scores descend, and pages fit together.
  const whole = await send<Found>(compared, asked, toPath(compared.datasetId, { ...request, ...WHOLE }), toBody(request))
  const all = toIds(whole.body)
  const expected = expectedHits(truth, { ...query.value, ...WHOLE }).ids
  const scores = whole.body.items.map(item => ('query_score' in item ? Number(item.query_score) : 0))
  const difference =
    compareLists(all.map(name).toSorted(), expected.map(name).toSorted()) ??
    compareLists(found.map(name), all.slice(request.offset, request.offset + request.limit).map(name)) ??
    (scores.every((score, at) => at === 0 || score <= (scores[at - 1] ?? 0)) ? null : 'the scores do not descend')
  return { hits: total, difference }
}

type Item = { id: Id } | { record: { id: Id }; query_score: number | null }
interface Found {
  items: Item[]
  total: number
}
const toIds = ({ items }: Found) => items.map(item => ('record' in item ? item.record.id : item.id))

/** Names records by external id, because the server generates the ids. */
function namesOf({ documents }: Truth): (id: Id) => string {
  const names = new Map(documents.map(({ id, external_id }) => [id, (external_id ?? id).slice(0, 40)]))
  return id => names.get(id) ?? `unknown ${id}`
}

const isOrdered = ({ text, sort, similar }: SearchQuery) => text === null || sort.length > 0 || similar !== null

function toQuery({ people }: ComparedDataset, truth: Truth, { as }: TestQuery, request: SearchRequest): SearchQuery {
  const options = {
    userId: request.mine ? people[as].id : null,
    hidesMetadata: request.mine && isAnnotator(as),
    now: now(),
    offset: request.offset,
    limit: request.limit,
  }
  if (request.kind === 'list') return resolveList(truth.dataset, { ...options, parameters: request.parameters })
  const recordId = request.body.query?.vector?.record_id
  const similarRecord = truth.documents.find(({ id }) => id === recordId) ?? null
  return resolveSearch(request.body, truth.dataset, { ...options, similarRecord })
}

function expectedHits({ documents }: Truth, query: SearchQuery): { ids: Id[]; total: number } {
  const { offset, limit, similar, shuffleFor } = query
  if (shuffleFor !== null) {
    const { ids, total } = searchNaively(documents, { ...query, offset: 0, limit: documents.length })
    return { ids: toShuffled(ids, shuffleFor).slice(offset, offset + limit), total }
  }
  const { ids, total } = searchNaively(documents, query)
  // The total of a similarity search is limited to the records shown and skipped.
  return { ids, total: similar === null ? total : Math.min(total, offset + limit, SIMILAR_MAX) }
}

/** The shuffle of a user: buckets in the user's order, and the records of a bucket forwards or backwards. */
function toShuffled(ids: readonly Id[], userId: Id): Id[] {
  const { buckets, backwards } = userShuffleOrder(userId)
  const visit = (id: Id) => buckets.indexOf(toShuffleBucket(id))
  const inPlace = (one: Id, other: Id) => (one < other ? -1 : 1) * (backwards ? -1 : 1)
  return ids.toSorted((one, other) => visit(one) - visit(other) || inPlace(one, other))
}

const isAnnotator = (as: TestQuery['as']) => as === 'ann' || as === 'ben'
const now = () => `${new Date().toISOString().slice(0, -1)}000`

const toBody = (request: SearchRequest) => (request.kind === 'search' ? request.body : undefined)

function toPath(datasetId: Id, request: Request): string {
  const dataset = `/datasets/${datasetId}`
  switch (request.kind) {
    case 'search':
      return `POST ${request.mine ? '/me' : ''}${dataset}/records/search?offset=${request.offset}&limit=${request.limit}`
    case 'list': {
      const parameters = Object.entries(request.parameters).flatMap(([name, values]) =>
        (values ?? []).map((value): [string, string] => [name, value]),
      )
      const page = `offset=${request.offset}&limit=${request.limit}`
      return `GET ${request.mine ? '/me' : ''}${dataset}/records?${page}&${new URLSearchParams(parameters)}`
    }
    case 'counts':
      return `POST /me${dataset}/records/counts`
    case 'metrics':
      return `GET /metadata-properties/${request.propertyId}/metrics`
    case 'progress':
      return `GET ${dataset}/progress`
    case 'users_progress':
      return `GET ${dataset}/users/progress`
    case 'my_metrics':
      return `GET /me${dataset}/metrics`
    case 'agents':
      return `GET ${dataset}/records/search/suggestions/options`
  }
}

const send = <T>({ people }: ComparedDataset, { as }: TestQuery, path: string, body: unknown) => people[as].send<T>(path, body)

type Expected<T> = { refused: false; value: T } | { refused: true; message: string }

function expectedOf<T>(make: () => T): Expected<T> {
  try {
    return { refused: false, value: make() }
  } catch (error) {
    if (isRefusal(error)) return { refused: true, message: error.message }
    throw error
  }
}

function compareAnswers(answer: Answer, wanted: Expected<unknown>): string | null {
  if (wanted.refused) return answer.status === 422 ? null : `status ${answer.status}, expected 422: ${wanted.message}`
  if (answer.status !== 200) return `status ${answer.status}: ${answer.text.slice(0, 300)}`
  if (isDeepStrictEqual(answer.body, wanted.value)) return null
  return `answered ${JSON.stringify(answer.body).slice(0, 1500)}, expected ${JSON.stringify(wanted.value).slice(0, 1500)}`
}

function compareLists(found: readonly string[], expected: readonly string[]): string | null {
  const at = expected.findIndex((name, index) => found[index] !== name)
  if (at === -1 && found.length === expected.length) return null
  const shown = (list: readonly string[]) => list.slice(Math.max(0, at - 2), Math.max(0, at) + 5).join(' ')
  return `${found.length} found, ${expected.length} expected; from place ${at - 2}: ${shown(found)}, expected ${shown(expected)}`
}
