/**
 * Reference implementation of search over plain documents, slow and simple. Tests compare every engine with it.
 *
 * It does not implement relevance and shuffle. Without a sort it orders by id, so compare such results as sets.
 */
import type { Id } from '../schema.ts'
import { compareText } from './compare-text.ts'
import type { SearchDocument, SearchResponse, SearchValue } from './document.ts'
import type { Existing, Filter, Range, SearchQuery, Sort, Target } from './query.ts'
import { matchesText } from './text-match.ts'

export function searchNaively(documents: readonly SearchDocument[], query: SearchQuery): { ids: Id[]; total: number } {
  const found = documents
    .filter(document => query.text === null || matchesText(query.text.tree, document.text, query.text.field))
    .filter(document => query.filters.every(filter => matchesFilter(document, filter, query.userId)))
    .filter(document => query.similar === null || isCandidate(document, query.similar))
  const ordered = query.similar === null ? sorted(found, query.sort, query.userId) : bySimilarity(found, query.similar)
  const page = ordered.slice(query.offset, query.offset + query.limit)
  return { ids: page.map(document => document.id), total: ordered.length }
}

function compareValues(left: SearchValue, right: SearchValue): number {
  return typeof left === 'number' && typeof right === 'number' ? left - right : compareText(String(left), String(right))
}

export function matchesFilter(document: SearchDocument, filter: Filter, userId: Id | null): boolean {
  switch (filter.kind) {
    case 'nothing':
      return false
    case 'response_status': {
      const responses = responsesOf(document, userId)
      return (filter.pending && responses.length === 0) || responses.some(response => filter.statuses.includes(response.status))
    }
    case 'exists':
      return has(document, filter.of, userId) === filter.exists
    case 'values':
      return valuesOf(document, filter.target, userId).some(value => filter.values.includes(String(value)))
    default: {
      const ranges: Range<SearchValue>[] = filter.ranges
      return valuesOf(document, filter.target, userId).some(value => ranges.some(range => isWithin(value, range)))
    }
  }
}

function has(document: SearchDocument, of: Existing, userId: Id | null): boolean {
  switch (of.kind) {
    case 'metadata':
      return (document.metadata.get(of.propertyId) ?? []).length > 0
    case 'suggestion':
      return of.questionIds.some(id => document.suggestions.has(id))
    case 'response':
      return responsesOf(document, userId).some(response => (response.values.get(of.questionId) ?? []).length > 0)
    case 'flag':
      return userId === null ? document.flags.length > 0 : document.flags.includes(userId)
  }
}

function isWithin(value: SearchValue, { from, to }: Range<SearchValue>): boolean {
  return (from === null || compareValues(value, from) >= 0) && (to === null || compareValues(value, to) <= 0)
}

function responsesOf(document: SearchDocument, userId: Id | null): SearchResponse[] {
  return userId === null ? document.responses : document.responses.filter(response => response.user_id === userId)
}

export function valuesOf(document: SearchDocument, target: Target, userId: Id | null): SearchValue[] {
  switch (target.kind) {
    case 'record':
      return present(document[target.property])
    case 'metadata':
      return document.metadata.get(target.propertyId) ?? []
    case 'suggestion': {
      const suggestion = document.suggestions.get(target.questionId)
      if (suggestion === undefined) return []
      if (target.property === 'value') return suggestion.values
      return target.property === 'score' ? suggestion.scores : present(suggestion[target.property])
    }
    case 'response':
      return responsesOf(document, userId).flatMap(response => response.values.get(target.questionId) ?? [])
  }
}

function present(value: string | null): string[] {
  return value === null ? [] : [value]
}

function sorted(documents: SearchDocument[], sort: Sort[], userId: Id | null): SearchDocument[] {
  const rows = documents.map(document => ({ document, keys: sort.map(entry => sortKey(document, entry, userId)) }))
  rows.sort((left, right) => {
    for (const [i, { order }] of sort.entries()) {
      const difference = compareKeys(left.keys[i] ?? null, right.keys[i] ?? null, order)
      if (difference !== 0) return difference
    }
    return compareText(left.document.id, right.document.id)
  })
  return rows.map(row => row.document)
}

/** Missing keys come last in both directions. */
function compareKeys(left: SearchValue | null, right: SearchValue | null, order: 'asc' | 'desc'): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  return order === 'asc' ? compareValues(left, right) : compareValues(right, left)
}

function sortKey(document: SearchDocument, { target, order }: Sort, userId: Id | null): SearchValue | null {
  const values =
    target.kind === 'response_status'
      ? responsesOf(document, userId).map(response => response.status)
      : valuesOf(document, target, userId)
  if (target.kind === 'response' && target.as === 'number') return average(values.map(Number))
  const ascending = values.toSorted(compareValues)
  return (order === 'asc' ? ascending[0] : ascending.at(-1)) ?? null
}

function average(numbers: number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

type Similar = NonNullable<SearchQuery['similar']>

function isCandidate(document: SearchDocument, similar: Similar): boolean {
  return document.vectors.has(similar.vectorSettingsId) && document.id !== similar.excludeRecordId
}

function bySimilarity(documents: SearchDocument[], similar: Similar): SearchDocument[] {
  const sign = similar.order === 'most_similar' ? -1 : 1
  const rows = documents.map(document => ({
    document,
    cosine: cosine(document.vectors.get(similar.vectorSettingsId) ?? [], similar.value),
  }))
  rows.sort((left, right) => sign * (left.cosine - right.cosine) || compareText(left.document.id, right.document.id))
  return rows.map(row => row.document)
}

/** A zero vector has the same distance to every vector. */
function cosine(left: number[], right: number[]): number {
  const dot = (a: number[], b: number[]) => a.reduce((sum, number, i) => sum + number * (b[i] ?? 0), 0)
  const lengths = Math.sqrt(dot(left, left) * dot(right, right))
  return lengths === 0 ? 0 : dot(left, right) / lengths
}
