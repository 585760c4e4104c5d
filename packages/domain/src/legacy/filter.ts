/** The query object of searches, scans, deletions and metrics, and the filter made from it. */
import {
  AnyJson,
  Bool,
  Dictionary,
  Float,
  Int,
  List,
  Nullable,
  NullByDefault,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
} from '../schema.ts'
import { badRequest } from './errors.ts'
import { type Document, SORT_FIELDS, valuesOf } from './fields.ts'
import { matches } from './match.ts'
import { parseQueryText, type QueryNode } from './query-text.ts'
import { RecordId, STATUSES } from './record.ts'

/** Values are looked up in a set, so this only limits its memory. */
const LIST_MAX = 10_000
/** Maximum number of records that one request may delete or load. They are read by key. */
const IDS_MAX = 100_000
/** Limited because each rule is a separate query. */
const UNCOVERED_MAX = 1_000
const Words = NullByDefault(List(AnyJson, { maxItems: LIST_MAX }))

export const RecordQuery = Shape({
  query_text: NullByDefault(Text()),
  ids: NullByDefault(List(RecordId, { maxItems: IDS_MAX })),
  status: NullByDefault(List(OneOf(STATUSES), { maxItems: 100 })),
  annotated_by: Words,
  predicted_by: Words,
  annotated_as: Words,
  predicted_as: Words,
  predicted: NullByDefault(OneOf(['ok', 'ko'])),
  score: NullByDefault(Shape({ from: Optional(Nullable(Float())), to: Optional(Nullable(Float())) })),
  metadata: NullByDefault(Dictionary(AnyJson)),
  has_annotation: NullByDefault(Bool()),
  has_prediction: NullByDefault(Bool()),
  uncovered_by_rules: NullByDefault(List(Text(), { maxItems: UNCOVERED_MAX })),
  vector: NullByDefault(
    Shape({
      name: Text(1),
      value: List(Float(), { minItems: 1, maxItems: 4_096 }),
      k: NullByDefault(Int({ minimum: 1, maximum: 10_000 })),
    }),
  ),
  raw_query: NullByDefault(AnyJson),
})
export type RecordQuery = Static<typeof RecordQuery>

/** On Python 3.11 and newer, the 1.29 client sends the names of its enum members. */
const ORDERS = ['asc', 'desc', 'SortOrder.asc', 'SortOrder.desc'] as const

export const SortBy = NullByDefault(
  List(Shape({ id: Text(1), order: Optional(Nullable(OneOf(ORDERS, { default: 'asc' }))) }), { maxItems: 20 }),
)
export type SortBy = Static<typeof SortBy>

export interface Sort {
  field: string
  isDescending: boolean
}

export function toSorts(given: SortBy | undefined): Sort[] {
  return (given ?? []).map(({ id, order }) => {
    if (!SORT_FIELDS.includes(id.split('.')[0] ?? '')) {
      throw badRequest(`\`${id}\` cannot be sorted by. Fields: ${SORT_FIELDS.join(', ')} (metadata as metadata.<key>)`)
    }
    return { field: id, isDescending: order?.endsWith('desc') ?? false }
  })
}

type Condition = (document: Document) => boolean

export interface Filter {
  /** If set, all other conditions are ignored. */
  ids: readonly string[] | null
  /** Conditions on fields that the index stores (light.ts). */
  conditions: readonly Condition[]
  /** Queries that must not match. */
  rules: readonly QueryNode[]
  /** The parsed query text, also used for the matched words; null without one. */
  node: QueryNode | null
}

export const ALL_RECORDS: Filter = { ids: null, conditions: [], rules: [], node: null }

/** Ignores empty lists and blank texts. */
export function toFilter(query: RecordQuery): Filter {
  if (query.raw_query !== null && query.raw_query !== undefined)
    throw badRequest('`raw_query` is not supported; use `query_text`')
  if (query.ids && query.ids.length > 0) return { ...ALL_RECORDS, ids: query.ids.map(String) }
  const node = query.query_text != null && query.query_text.trim() !== '' ? parseQueryText(query.query_text) : null
  const conditions: Condition[] = []
  const add = (isGiven: unknown, condition: Condition) => void (isGiven && conditions.push(condition))
  for (const field of ['status', 'annotated_by', 'predicted_by', 'annotated_as', 'predicted_as'] as const) {
    const wanted = new Set((query[field] ?? []).map(String))
    add(wanted.size > 0, document => valuesOf(document, field).some(value => wanted.has(String(value))))
  }
  for (const [key, given] of Object.entries(query.metadata ?? {})) {
    const wanted = new Set([given].flat().map(String))
    add(wanted.size > 0, document => valuesOf(document, `metadata.${key}`).some(value => wanted.has(String(value))))
  }
  const { from, to } = query.score ?? {}
  add(from != null || to != null, ({ derived }) =>
    derived.score.some(score => (from == null || score >= from) && (to == null || score <= to)),
  )
  add(query.predicted, ({ derived }) => derived.predicted === query.predicted)
  add(query.has_annotation, ({ record }) => record.annotation !== undefined)
  add(query.has_prediction, ({ record }) => record.prediction !== undefined)
  return { ids: null, conditions, rules: (query.uncovered_by_rules ?? []).map(parseQueryText), node }
}

export const choosesAll = ({ ids, conditions, rules, node }: Filter): boolean =>
  ids === null && conditions.length + rules.length === 0 && (node === null || node.type === 'all')

export const isChosen = ({ conditions, rules, node }: Filter, document: Document): boolean =>
  conditions.every(condition => condition(document)) &&
  !rules.some(rule => matches(document, rule)) &&
  (node === null || matches(document, node))
