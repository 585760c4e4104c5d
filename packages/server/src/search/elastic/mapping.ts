/** Settings and mapping of a dataset's index: one field for each property that can be filtered, sorted or searched. */
import { RESULT_WINDOW_MAX } from '@postil/domain/search/query'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import { TEXT_GAP } from './document-text.ts'
import type { Flavour } from './flavour.ts'
import { textKey } from './keys.ts'

export interface IndexOptions {
  flavour: Flavour
  shards: number
  replicas: number
  totalFieldsMax: number
  /** Identifies the database for which the index is created. */
  databaseId: string
}

type Properties = { [name: string]: object }

/** Maximum number of responses to a record. The default of the engines is 10,000. */
const RESPONSES_MAX = 1_000_000

const KEYWORD = { type: 'keyword' }
/**
 * All numbers are 64-bit floats, as in the embedded index. 32-bit floats are already rounded when the document is built, and
 * integers are below 2^53.
 */
const NUMBER = { type: 'double' }
/** Microseconds since 1970, because date types of the engines have only milliseconds or end in 2262. */
const TIME = { type: 'long' }

/** Returns the body of the request that creates an index. */
export function toIndexBody(settings: DatasetSettings, options: IndexOptions): { settings: object; mappings: object } {
  const { flavour, shards, replicas, totalFieldsMax, databaseId } = options
  return {
    settings: {
      index: {
        number_of_shards: shards,
        number_of_replicas: replicas,
        max_result_window: RESULT_WINDOW_MAX,
        // Searches refresh the index themselves if something was written.
        refresh_interval: '-1',
        'mapping.total_fields.limit': totalFieldsMax,
        'mapping.nested_objects.limit': RESPONSES_MAX,
        ...flavour.indexSettings,
      },
    },
    mappings: {
      // Rejects documents with unmapped fields, because such fields would not be searchable.
      dynamic: 'strict',
      _meta: { made_for: databaseId },
      _source: { excludes: ['vectors'] },
      ...toMappingGrowth(settings, flavour),
    },
  }
}

/** Returns the complete mapping for the current settings. The request is idempotent and also extends an existing index. */
export function toMappingGrowth(settings: DatasetSettings, flavour: Flavour): { properties: Properties } {
  const { documents, vectorsSettings } = settings
  const indexed = vectorsSettings.filter(({ dimensions }) => dimensions <= flavour.vectorDimensionsMax)
  return {
    properties: {
      ...RECORD_PROPERTIES,
      text: toObject(documents.textFields.map(({ name }) => [textKey(name), TEXT])),
      metadata: toObject(documents.metadataProperties.map(({ id, type }) => [id, toValueMapping(type.searchAs)])),
      suggestions: toObject(documents.questions.map(({ id, type }) => [id, toSuggestionMapping(type.searchAs)])),
      responses: {
        type: 'nested',
        properties: {
          user_id: KEYWORD,
          status: KEYWORD,
          // For answers that cannot be compared, the document only records that there is one.
          values: toObject(documents.questions.map(({ id, type }) => [id, toValueMapping(type.searchAs)])),
        },
      },
      vectors: toObject(
        indexed.map(({ id, dimensions }) => [id, flavour.toVectorMapping(indexedDimensions(dimensions, flavour))]),
      ),
    },
  }
}

const RECORD_PROPERTIES: Properties = {
  record_no: { type: 'long' },
  // A keyword instead of a number, because one of 64 values is found fastest in an inverted index.
  shuffle: { type: 'keyword', doc_values: false },
  id: KEYWORD,
  external_id: KEYWORD,
  status: KEYWORD,
  inserted_at: TIME,
  updated_at: TIME,
  flags: KEYWORD,
  suggested: KEYWORD,
  digest: { type: 'keyword', index: false },
}

/** Text is tokenized by us, so that every engine finds the same. Tokens are separated by spaces. */
const TEXT = { type: 'text', analyzer: 'whitespace', position_increment_gap: TEXT_GAP }

type SearchAs = DatasetSettings['documents']['questions'][number]['type']['searchAs'] | 'float'

const toObject = (entries: [name: string, mapping: object][]) => ({ type: 'object', properties: Object.fromEntries(entries) })

const toValueMapping = (searchAs: SearchAs) => (searchAs === 'integer' || searchAs === 'float' ? NUMBER : KEYWORD)

function toSuggestionMapping(searchAs: SearchAs): object {
  const value = searchAs === 'none' ? [] : [['value', toValueMapping(searchAs)] as [string, object]]
  return toObject([...value, ['score', NUMBER], ['agent', KEYWORD], ['type', KEYWORD]])
}

/**
 * Adds one dimension in which only a vector of zeros has a value. Engines reject vectors without a direction; with the extra
 * dimension, a vector of zeros is orthogonal to all others. At the maximum number of dimensions there is no room for it.
 */
export const indexedDimensions = (dimensions: number, { vectorDimensionsMax }: Flavour): number =>
  Math.min(dimensions + 1, vectorDimensionsMax)
