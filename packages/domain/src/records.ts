/**
 * Records: request and response shapes, and the requirements of a dataset for fields, metadata and vectors.
 *
 * Checks take `RecordRules`, prepared once per call, and throw at the first problem.
 */
import { RECORD_STATUSES } from './distribution.ts'
import { checkAt, invalid, ShapeError } from './errors.ts'
import { FieldValues, FieldValuesUpdate } from './fields/registry.ts'
import { listed, quoted } from './message-values.ts'
import { ownProperty } from './own-property.ts'
import type { RecordRules } from './record-rules.ts'
import { RecordResponse, ResponsesOfUsers } from './responses.ts'
import {
  AnyJson,
  Dictionary,
  Id,
  type Json,
  List,
  Nullable,
  NumberAsText,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
  Timestamps,
} from './schema.ts'
import { Suggestion, SuggestionCreate } from './suggestions.ts'
import { RecordVectors } from './vectors.ts'

/** Values by field name. Read with `own`, because a name may be `constructor`. */
export type RecordFields = { [field: string]: Json }

/** Values by metadata property name, including extra metadata. Read with `own`. */
export type RecordMetadata = { [name: string]: Json }

export const RECORDS_BULK_MAX = 500
const RECORDS_OLD_BULK_MAX = 1000

export const DatasetRecord = Shape({
  id: Id,
  status: OneOf(RECORD_STATUSES),
  fields: Dictionary(AnyJson),
  metadata: Nullable(Dictionary(AnyJson)),
  external_id: Nullable(Text()),
  /** Responses, suggestions and vectors are absent unless they were requested. */
  responses: Optional(List(RecordResponse)),
  suggestions: Optional(List(Suggestion)),
  vectors: Optional(RecordVectors),
  dataset_id: Id,
  ...Timestamps,
})
export type DatasetRecord = Static<typeof DatasetRecord>

const Metadata = Optional(Nullable(Dictionary(AnyJson)))
const Suggestions = Optional(Nullable(List(SuggestionCreate)))
const Vectors = Optional(Nullable(RecordVectors))

const parts = {
  metadata: Metadata,
  external_id: Optional(Nullable(NumberAsText)),
  vectors: Vectors,
  suggestions: Suggestions,
  responses: Optional(Nullable(ResponsesOfUsers)),
}

export const RecordCreate = Shape({ fields: FieldValues, ...parts })
export type RecordCreate = Static<typeof RecordCreate>

/** Omitted keys leave that part of an existing record unchanged. */
export const RecordUpsert = Shape({ id: Optional(Nullable(Id)), fields: Optional(Nullable(FieldValues)), ...parts })
export type RecordUpsert = Static<typeof RecordUpsert>

const changes = { metadata: Metadata, suggestions: Suggestions, vectors: Vectors }

/** `PATCH /records/{id}`. */
export const RecordUpdate = Shape({ fields: Optional(Nullable(FieldValuesUpdate)), ...changes })
export type RecordUpdate = Static<typeof RecordUpdate>

const RecordUpdateOfBulk = Shape({ id: Id, fields: Optional(Nullable(FieldValues)), ...changes })

export const RecordsBulkCreate = Shape({
  items: List(RecordCreate, { minItems: 1, maxItems: RECORDS_BULK_MAX, 'x-check': sameExternalIdProblem }),
})
export type RecordsBulkCreate = Static<typeof RecordsBulkCreate>

export const RecordsBulkUpsert = Shape({
  items: List(RecordUpsert, { minItems: 1, maxItems: RECORDS_BULK_MAX, 'x-check': sameExternalIdProblem }),
})
export type RecordsBulkUpsert = Static<typeof RecordsBulkUpsert>

/** `POST /datasets/{id}/records` of the 1.x API. */
export const RecordsCreate = Shape({
  items: List(RecordCreate, { minItems: 1, maxItems: RECORDS_OLD_BULK_MAX, 'x-check': sameExternalIdProblem }),
})
export type RecordsCreate = Static<typeof RecordsCreate>

/** `PATCH /datasets/{id}/records` of the 1.x API. */
export const RecordsUpdate = Shape({ items: List(RecordUpdateOfBulk, { minItems: 1, maxItems: RECORDS_OLD_BULK_MAX }) })
export type RecordsUpdate = Static<typeof RecordsUpdate>

/** Response to a bulk write. The Python client counts `updated_item_ids`. */
export const RecordsBulk = Shape({ items: List(DatasetRecord), updated_item_ids: Optional(List(Id)) })
export type RecordsBulk = Static<typeof RecordsBulk>

function sameExternalIdProblem(records: readonly { external_id?: string | null | undefined }[]): string | null {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { external_id } of records) {
    if (external_id == null) continue
    if (seen.has(external_id)) twice.add(external_id)
    seen.add(external_id)
  }
  return twice.size === 0 ? null : `External ids must differ, but these appear more than once: ${listed([...twice].map(quoted))}`
}

/** Rejects upsert items without any known key. This is a shape error, independent of the dataset. */
export function checkUpsertItems(items: readonly RecordUpsert[]): void {
  const problems = items.flatMap((item, index) =>
    Object.keys(item).length === 0 ? [{ type: 'missing', loc: ['body', 'items', index, 'fields'], msg: 'Field required' }] : [],
  )
  if (problems.length > 0) throw new ShapeError(problems)
}

/** Checks all fields of a record, in the state after the write. */
export function checkFields(fields: RecordFields | null | undefined, rules: RecordRules): asserts fields is RecordFields {
  const names = fields == null ? [] : Object.keys(fields)
  if (fields == null || names.length === 0) throw invalid('A record needs `fields` with at least one value', ['fields'])

  const missing: string[] = []
  for (const { name, required } of rules.fields.values())
    if (required && ownProperty(fields, name) == null) missing.push(quoted(name))
  if (missing.length > 0) throw invalid(`Required fields without a value: ${listed(missing)}`, ['fields'])

  const unknown = names.filter(name => !rules.fields.has(name))
  if (unknown.length > 0) {
    const known = listed(Array.from(rules.fields.keys(), quoted))
    throw invalid(`Not fields of this dataset: ${listed(unknown.map(quoted))}. Fields: ${known}`, ['fields'])
  }
  for (const { name, type } of rules.fields.values()) {
    const value = ownProperty(fields, name)
    if (value != null) checkAt(['fields', name], () => type.checkValue(value, name))
  }
}

/** Converts validated fields to their stored form. */
export function toStoredFields(fields: RecordFields, rules: RecordRules): RecordFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value === null ? null : (rules.fields.get(name)?.type.toStored(value) ?? value),
    ]),
  )
}

export function checkMetadata(metadata: RecordMetadata | null | undefined, rules: RecordRules): void {
  if (metadata == null) return
  for (const name of Object.keys(metadata)) {
    const property = rules.metadata.get(name)
    const value = ownProperty(metadata, name)
    if (property === undefined) {
      if (!rules.allowExtraMetadata) {
        throw invalid(`${quoted(name)} is not a metadata property, and this dataset allows no extra metadata`, ['metadata', name])
      }
    } else if (value != null) checkAt(['metadata', name], () => property.type.checkValue(value, property))
  }
}

/** An all-zero vector is valid: its distance to every vector is the same. */
export function checkVectors(vectors: RecordVectors | null | undefined, rules: RecordRules): void {
  if (vectors == null) return
  for (const [name, vector] of Object.entries(vectors)) {
    const dimensions = rules.vectors.get(name)
    if (dimensions === undefined) {
      const known = listed(Array.from(rules.vectors.keys(), quoted))
      throw invalid(`${quoted(name)} is not a vector of this dataset. Vectors: ${known || 'none'}`, ['vectors', name])
    }
    if (vector.length !== dimensions) {
      throw invalid(`Vector \`${name}\` should have ${dimensions} dimensions, not ${vector.length}`, ['vectors', name])
    }
    if (!vector.every(Number.isFinite)) throw invalid(`Vector \`${name}\` holds a number that is not finite`, ['vectors', name])
  }
}
