/** What the index of a dataset looks like: one field for each thing that can be filtered, sorted or searched by. */
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
}

type Properties = { [name: string]: object }

/** The most responses that one record may have. Engines allow 10,000 unless told otherwise. */
const RESPONSES_MAX = 1_000_000

const KEYWORD = { type: 'keyword' }
/** All numbers are 64-bit floats, as in the embedded index: the projection has rounded 32-bit ones already, and integers are below 2^53. */
const NUMBER = { type: 'double' }
/** Microseconds since 1970: dates of the engines have milliseconds, or end in 2262. */
const TIME = { type: 'long' }

/** The body that creates an index. */
export function toIndexBody(settings: DatasetSettings, options: IndexOptions): { settings: object; mappings: object } {
  const { flavour, shards, replicas, totalFieldsMax } = options
  return {
    settings: {
      index: {
        number_of_shards: shards,
        number_of_replicas: replicas,
        max_result_window: RESULT_WINDOW_MAX,
        // Whoever searches refreshes first, if something was written.
        refresh_interval: '-1',
        'mapping.total_fields.limit': totalFieldsMax,
        'mapping.nested_objects.limit': RESPONSES_MAX,
        ...flavour.indexSettings,
      },
    },
    mappings: {
      // A document with a field that is not mapped yet must not be stored with a part that nobody finds.
      dynamic: 'strict',
      _source: { excludes: ['vectors'] },
      ...toMappingGrowth(settings, flavour),
    },
  }
}

/** Everything that the index must have by now. Sent again it changes nothing, so it also makes an existing index grow. */
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
          // Of answers that are not compared, the projection tells only that there is one.
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
  // As text: one of 64 values is found fastest in an inverted index.
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

/** The token stream is made by us, so that every engine finds the same. Blanks part the tokens. */
const TEXT = { type: 'text', analyzer: 'whitespace', position_increment_gap: TEXT_GAP }

type SearchAs = DatasetSettings['documents']['questions'][number]['type']['searchAs'] | 'float'

const toObject = (entries: [name: string, mapping: object][]) => ({ type: 'object', properties: Object.fromEntries(entries) })

const toValueMapping = (searchAs: SearchAs) => (searchAs === 'integer' || searchAs === 'float' ? NUMBER : KEYWORD)

function toSuggestionMapping(searchAs: SearchAs): object {
  const value = searchAs === 'none' ? [] : [['value', toValueMapping(searchAs)] as [string, object]]
  return toObject([...value, ['score', NUMBER], ['agent', KEYWORD], ['type', KEYWORD]])
}

/**
 * One dimension more than the vectors have, in which only a vector of zeros has a value. Engines refuse vectors without a direction; with it,
 * a vector of zeros is as far from every other as from its opposite. At the limit there is no room for it.
 */
export const indexedDimensions = (dimensions: number, { vectorDimensionsMax }: Flavour): number =>
  Math.min(dimensions + 1, vectorDimensionsMax)
