/** Converts a record's document to the form that the engines index. */
import { hash } from 'node:crypto'
import type { SearchDocument, SearchResponse, SearchSuggestion, SearchValue } from '@postil/domain/search/document'
import { toMicros } from '../columns/times.ts'
import { toQueryVector } from '../embedded/vectors/cosine.ts'
import { toShuffleBucket } from '../shuffle.ts'
import { toIndexedTexts } from './document-text.ts'
import type { Flavour } from './flavour.ts'
import { textKey, toKeyword } from './keys.ts'
import { indexedDimensions } from './mapping.ts'

export type IndexedDocument = { [name: string]: unknown } & { digest: string }

export function toIndexedDocument(document: SearchDocument, recordNo: number, flavour: Flavour): IndexedDocument {
  const { suggestions, responses } = document
  const indexed = {
    record_no: recordNo,
    shuffle: String(toShuffleBucket(document.id)),
    id: document.id,
    external_id: document.external_id === null ? undefined : toKeyword(document.external_id),
    status: document.status,
    inserted_at: toMicros(document.inserted_at),
    updated_at: toMicros(document.updated_at),
    text: toObject(document.text, toIndexedTexts, textKey),
    metadata: toObject(document.metadata, toValues),
    suggested: orNone([...suggestions.keys()].sort()),
    suggestions: toObject(suggestions, toSuggestion),
    responses: orNone(responses.toSorted((left, right) => (left.user_id < right.user_id ? -1 : 1)).map(toResponse)),
    flags: orNone(document.flags.toSorted()),
    vectors: toObject(document.vectors, value => toVector(value, flavour)),
  }
  return { ...indexed, digest: hash('sha256', JSON.stringify(indexed), 'base64url') }
}

/**
 * Returns an object with sorted keys, so that the digest does not depend on their original order. JSON omits undefined values.
 */
function toObject<Value>(
  values: ReadonlyMap<string, Value>,
  toEntry: (value: Value) => unknown,
  toKey = (key: string) => key,
): object | undefined {
  if (values.size === 0) return undefined
  return Object.fromEntries([...values.keys()].sort().map(key => [toKey(key), toEntry(values.get(key) as Value)]))
}

const orNone = <T>(list: T[]): T[] | undefined => (list.length === 0 ? undefined : list)

const toValues = (values: readonly SearchValue[]): SearchValue[] | undefined =>
  orNone(values.map(value => (typeof value === 'string' ? toKeyword(value) : value)))

const toSuggestion = ({ values, scores, agent, type }: SearchSuggestion) => ({
  value: toValues(values),
  score: orNone([...scores]),
  agent: agent ?? undefined,
  type: type ?? undefined,
})

const toResponse = ({ user_id, status, values }: SearchResponse) => ({ user_id, status, values: toObject(values, toValues) })

/**
 * Rounds to nine decimals: engines store 32 bits, and parsing numbers with 17 digits would take longer than the rest of the
 * document.
 */
const toShort = (number: number) => Math.round(number * 1e9) / 1e9

/**
 * Normalizes a vector to length 1, because engines reject lengths that do not fit 32 bits. A vector of zeros gets a value in an
 * extra dimension.
 */
export function toVector(value: readonly number[], flavour: Flavour): number[] | undefined {
  const dimensions = indexedDimensions(value.length, flavour)
  if (value.length > dimensions) return undefined
  const unit = Array.from(toQueryVector(value, 'most_similar'), toShort)
  if (value.length === dimensions) return unit.every(number => number === 0) ? undefined : unit
  return [...unit, unit.every(number => number === 0) ? 1 : 0]
}
