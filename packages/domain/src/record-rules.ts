/**
 * Requirements of a dataset for its records, prepared once for many records.
 *
 * A bulk write checks thousands of values against the same settings. Maps by name, with the type of each setting already
 * resolved, keep this almost as cheap as reading the values.
 */

import type { FieldType } from './fields/field-type.ts'
import { fieldTypeOf } from './fields/registry.ts'
import type { Field } from './fields.ts'
import type { MetadataType } from './metadata/metadata-type.ts'
import { metadataTypeOf } from './metadata/registry.ts'
import type { MetadataProperty } from './metadata-properties.ts'
import type { QuestionType } from './questions/question-type.ts'
import { questionTypeOf } from './questions/registry.ts'
import type { Question } from './questions.ts'
import type { Id } from './schema.ts'
import type { VectorsSettings } from './vectors.ts'

type RuledField = Pick<Field, 'name' | 'required' | 'settings'>
type RuledQuestion = Pick<Question, 'id' | 'name' | 'required' | 'settings'>
type RuledProperty = Pick<MetadataProperty, 'name' | 'settings'>
type RuledVectors = Pick<VectorsSettings, 'name' | 'dimensions'>

export interface FieldRule {
  name: string
  required: boolean
  type: FieldType
}

export interface QuestionRule extends RuledQuestion {
  type: QuestionType
}

export interface MetadataRule extends RuledProperty {
  type: MetadataType
}

export interface RecordRules {
  /** In the dataset's order, like all maps here. */
  fields: ReadonlyMap<string, FieldRule>
  questions: ReadonlyMap<string, QuestionRule>
  questionsById: ReadonlyMap<Id, QuestionRule>
  metadata: ReadonlyMap<string, MetadataRule>
  allowExtraMetadata: boolean
  /** Dimensions by name. */
  vectors: ReadonlyMap<string, number>
}

/** Parts that the caller does not check may be omitted. */
export interface RecordSettings {
  fields?: readonly RuledField[]
  questions?: readonly RuledQuestion[]
  metadataProperties?: readonly RuledProperty[]
  vectorsSettings?: readonly RuledVectors[]
  allowExtraMetadata?: boolean
}

export function prepareRecordRules(settings: RecordSettings): RecordRules {
  const { fields = [], questions = [], metadataProperties = [], vectorsSettings = [], allowExtraMetadata = true } = settings
  const questionRules = questions.map(({ id, name, required, settings }) => ({
    id,
    name,
    required,
    settings,
    type: questionTypeOf(settings),
  }))
  return {
    fields: new Map(fields.map(({ name, required, settings }) => [name, { name, required, type: fieldTypeOf(settings) }])),
    questions: new Map(questionRules.map(rule => [rule.name, rule])),
    questionsById: new Map(questionRules.map(rule => [rule.id, rule])),
    metadata: new Map(metadataProperties.map(({ name, settings }) => [name, { name, settings, type: metadataTypeOf(settings) }])),
    allowExtraMetadata,
    vectors: new Map(vectorsSettings.map(({ name, dimensions }) => [name, dimensions])),
  }
}
