/** Derives the type of a column, and possible uses for it, from its first values. Pure. */
import type { ColumnKind } from '@postil/domain/columns'
import type { HubColumn, HubTarget } from '@postil/domain/hub'
import type { Json } from '@postil/domain/schema'
import { classNames, type HubFeature, isImage } from './hub-features.ts'

const DISTINCT_MAX = 50
const EXAMPLES_MAX = 3
const EXAMPLE_LENGTH_MAX = 200
/** Minimum length of a long text, whose distinct values are not listed. */
const LONG_TEXT_MIN = 80
const VECTOR_LENGTH_MIN = 8

export function describeColumn(name: string, values: readonly Json[], feature: HubFeature | undefined): HubColumn {
  const given = values.filter(value => value !== null && value !== '')
  const classes = classNames(feature)
  const type = classes !== null ? 'text' : isImage(feature) ? 'image' : typeOf(given)
  const distinct = classes?.slice(0, 500) ?? distinctOf(type, given)
  return {
    name,
    type,
    dimensions: type === 'vector' ? (given[0] as Json[]).length : null,
    empty: values.length - given.length,
    distinct,
    is_class: classes !== null,
    suggestion: targetOf(name, type, classes !== null),
    examples: [...new Set(given.map(toExample))].slice(0, EXAMPLES_MAX),
  }
}

const toExample = (value: Json): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const isData = text.startsWith('data:')
  return isData
    ? (text.split(';')[0] ?? '')
    : Array.from(text.slice(0, EXAMPLE_LENGTH_MAX * 2))
        .slice(0, EXAMPLE_LENGTH_MAX)
        .join('')
}

const IMAGE_URL = /^(data:image\/|https?:\/\/\S+\.(png|jpe?g|gif|webp|avif|svg)([?#]|$))/i
const DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/

const isText = (value: Json): value is string => typeof value === 'string'

/** Tried in this order; the first type that fits all values applies. */
const TYPES: [ColumnKind, (value: Json) => boolean][] = [
  ['boolean', value => typeof value === 'boolean'],
  ['integer', value => typeof value === 'number' && Number.isInteger(value)],
  ['float', value => typeof value === 'number'],
  ['image', value => isText(value) && IMAGE_URL.test(value)],
  ['date', value => isText(value) && DATE.test(value)],
  ['text', value => isText(value) && value.length < LONG_TEXT_MIN],
  ['long_text', isText],
  ['chat', isChat],
  ['vector', value => Array.isArray(value) && value.length >= VECTOR_LENGTH_MIN && value.every(item => typeof item === 'number')],
  ['list', Array.isArray],
]

function typeOf(given: readonly Json[]): ColumnKind {
  if (given.length === 0) return 'text'
  const type = TYPES.find(([, fits]) => given.every(fits))?.[0] ?? 'json'
  const isUneven = type === 'vector' && new Set(given.map(value => (value as Json[]).length)).size > 1
  return isUneven ? 'list' : type
}

function isChat(value: Json): boolean {
  const isMessage = (item: Json) =>
    typeof item === 'object' && item !== null && !Array.isArray(item) && isText(item.role ?? null) && isText(item.content ?? null)
  return Array.isArray(value) && value.length > 0 && value.every(isMessage)
}

/** Distinct values of a column with comparable values; null if there are too many. */
function distinctOf(type: ColumnKind, given: readonly Json[]): string[] | null {
  if (!['text', 'integer', 'boolean', 'list'].includes(type)) return null
  const values = type === 'list' ? given.flat() : given
  if (values.some(value => typeof value === 'object')) return null
  const distinct = [...new Set(values.map(String))]
  return distinct.length > DISTINCT_MAX || distinct.some(value => value.length > EXAMPLE_LENGTH_MAX) ? null : distinct
}

const FIELDS: ColumnKind[] = ['long_text', 'chat', 'image']
const METADATA: ColumnKind[] = ['integer', 'float']

function targetOf(name: string, type: ColumnKind, isClass: boolean): HubTarget {
  if (isClass) return 'suggestion'
  if (/^(_?id|.*_id|uuid|key)$/i.test(name) && (type === 'text' || type === 'integer')) {
    return /^(_?id|uuid|row_id)$/i.test(name) ? 'external_id' : 'metadata'
  }
  if (FIELDS.includes(type) || type === 'text') return 'field'
  return METADATA.includes(type) ? 'metadata' : 'ignore'
}
