/**
 * Search documents: the only conversion from a stored record and the dataset's settings to the values that engines index.
 *
 * The same functions create whole documents and single columns, so they cannot differ.
 */
import { DomainError } from '../errors.ts'
import type { FieldType } from '../fields/field-type.ts'
import { fieldTypeOf } from '../fields/registry.ts'
import type { Field } from '../fields.ts'
import type { MetadataType } from '../metadata/metadata-type.ts'
import { metadataTypeOf } from '../metadata/registry.ts'
import type { MetadataProperty } from '../metadata-properties.ts'
import { ownProperty } from '../own-property.ts'
import type { QuestionType } from '../questions/question-type.ts'
import { questionTypeOf } from '../questions/registry.ts'
import type { Question } from '../questions.ts'
import type { RecordFields, RecordMetadata } from '../records.ts'
import type { ResponseStatus, ResponseValues } from '../responses.ts'
import type { Id, Json, Timestamp } from '../schema.ts'

/** Value that filters and sorts compare: text for keyword targets, number for number targets. */
export type SearchValue = string | number

/** The indexed form of a record. Keyed by id where possible, because names can change and may be `constructor`. */
export interface SearchDocument {
  id: Id
  external_id: string | null
  status: string
  /** Always with six fractional digits, so that text order is time order. */
  inserted_at: Timestamp
  updated_at: Timestamp
  /** Pieces of text by field name. */
  text: Map<string, string[]>
  /** Values by metadata property id; a list of terms has several. */
  metadata: Map<Id, SearchValue[]>
  /** By question id. */
  suggestions: Map<Id, SearchSuggestion>
  responses: SearchResponse[]
  /** Ids of the users who flagged the record. */
  flags: Id[]
  /** By vector settings id. */
  vectors: Map<Id, number[]>
}

export interface SearchSuggestion {
  values: SearchValue[]
  /** One score, or one for each value. */
  scores: number[]
  agent: string | null
  type: string | null
}

export interface SearchResponse {
  user_id: Id
  status: ResponseStatus
  /** By question id. */
  values: Map<Id, SearchValue[]>
}

export interface SearchedField {
  name: string
  type: FieldType
}

export interface SearchedProperty {
  id: Id
  name: string
  settings: { type: string }
  type: MetadataType
}

export interface SearchedQuestion {
  id: Id
  name: string
  type: QuestionType
}

/** Settings that documents depend on, with the type of each item resolved once for many documents. */
export interface DocumentSettings {
  /** Searchable fields, in the order of the text index. */
  textFields: readonly SearchedField[]
  metadataProperties: readonly SearchedProperty[]
  questions: readonly SearchedQuestion[]
}

interface GivenSettings {
  fields: readonly Pick<Field, 'name' | 'settings'>[]
  metadataProperties: readonly Pick<MetadataProperty, 'id' | 'name' | 'settings'>[]
  questions: readonly Pick<Question, 'id' | 'name' | 'settings'>[]
}

export function toDocumentSettings({ fields, metadataProperties, questions }: GivenSettings): DocumentSettings {
  return {
    textFields: fields.map(({ name, settings }) => ({ name, type: fieldTypeOf(settings) })).filter(({ type }) => type.searchable),
    metadataProperties: metadataProperties.map(({ id, name, settings }) => ({
      id,
      name,
      settings,
      type: metadataTypeOf(settings),
    })),
    questions: questions.map(({ id, name, settings }) => ({ id, name, type: questionTypeOf(settings) })),
  }
}

export interface StoredSuggestion {
  question_id: Id
  value: Json
  /** One number, or one for each value. */
  score: number | readonly number[] | null
  agent: string | null
  type: string | null
}

interface StoredResponse {
  user_id: Id
  status: ResponseStatus
  values: ResponseValues
}

/** A stored record with its suggestions, responses, flags and vectors. */
export interface StoredRecord {
  id: Id
  external_id: string | null
  status: string
  inserted_at: Timestamp
  updated_at: Timestamp
  fields: RecordFields
  metadata: RecordMetadata | null
  suggestions: readonly StoredSuggestion[]
  responses: readonly StoredResponse[]
  /** Ids of the users who flagged the record. */
  flags: readonly Id[]
  /** By vector settings id. Omitted by readers that load vectors separately. */
  vectors?: ReadonlyMap<Id, number[]>
}

export function toDocument(record: StoredRecord, settings: DocumentSettings): SearchDocument {
  const { id, external_id, status, inserted_at, updated_at, fields, metadata, flags, vectors } = record
  return {
    id,
    external_id,
    status,
    inserted_at,
    updated_at,
    text: new Map(settings.textFields.flatMap(field => entry(field.name, textPieces(fields, field)))),
    metadata: new Map(
      settings.metadataProperties.flatMap(property => someEntry(property.id, metadataValues(metadata, property))),
    ),
    suggestions: toSuggestions(record.suggestions, settings),
    responses: record.responses.map(({ user_id, status, values }) => ({
      user_id,
      status,
      values: new Map(settings.questions.flatMap(question => someEntry(question.id, answerValues(values, question)))),
    })),
    flags: [...flags],
    vectors: new Map(vectors),
  }
}

const entry = <T>(key: string, value: T | null): [string, T][] => (value === null ? [] : [[key, value]])

const someEntry = <T>(key: string, values: T[]): [string, T[]][] => (values.length === 0 ? [] : [[key, values]])

/** Returns null if the record has no value in the field. */
export function textPieces(fields: RecordFields, { name, type }: SearchedField): string[] | null {
  const value = ownProperty(fields, name)
  return value == null ? null : type.toText(value)
}

/**
 * Returns the values of one metadata property. A record may have extra metadata from before the property was added whose type
 * does not match. Such values are shown, but not searched.
 */
export function metadataValues(metadata: RecordMetadata | null, property: SearchedProperty): SearchValue[] {
  const value = metadata === null ? null : ownProperty(metadata, property.name)
  return value == null || !isAccepted(value, property) ? [] : distinct(property.type.toSearch(value))
}

function isAccepted(value: Json, property: SearchedProperty): boolean {
  try {
    property.type.checkValue(value, property)
    return true
  } catch (error) {
    if (error instanceof DomainError) return false
    throw error
  }
}

/** Empty if the question's values are not searchable. Filters on the existence of a suggestion do not need them. */
export function suggestionValues(value: Json, { type }: SearchedQuestion): SearchValue[] {
  return type.searchAs === 'none' ? [] : distinct(type.toSearch(value))
}

export function suggestionScores(score: StoredSuggestion['score']): number[] {
  return score === null ? [] : [score].flat()
}

/** Returns the values of one response to a question; empty without an answer. */
export function answerValues(values: ResponseValues, { name, type }: SearchedQuestion): SearchValue[] {
  const answer = ownProperty(values, name)
  return answer === undefined ? [] : distinct(type.toSearch(answer.value))
}

function toSuggestions(stored: readonly StoredSuggestion[], { questions }: DocumentSettings): Map<Id, SearchSuggestion> {
  return new Map(
    stored.flatMap(({ question_id, value, score, agent, type }): [Id, SearchSuggestion][] => {
      const question = questions.find(({ id }) => id === question_id)
      if (question === undefined) return []
      return [[question_id, { values: suggestionValues(value, question), scores: suggestionScores(score), agent, type }]]
    }),
  )
}

/** Removes duplicate values. */
const distinct = (values: SearchValue[]): SearchValue[] => (values.length < 2 ? values : [...new Set(values)])
