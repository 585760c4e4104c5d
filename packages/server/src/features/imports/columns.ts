/** Detects the kind of values in a column, and possible uses for it. Pure. */
import type { ColumnKind } from '@postil/domain/columns'
import { type ColumnUse, PREVIEW_DISTINCT_MAX, type PreviewColumn } from '@postil/domain/imports'
import type { Json } from '@postil/domain/schema'
import { shorten, type Values } from './tables/table.ts'
import { toNumber, toVector } from './to-value.ts'

const EXAMPLES_MAX = 3
const EXAMPLE_LENGTH = 200
/** Maximum length of texts listed as distinct values. */
const DISTINCT_LENGTH_MAX = 100
const LONG_TEXT_LENGTH = 200
/** Minimum length of a vector; shorter lists of numbers are plain lists. */
const DIMENSIONS_MIN = 8
/** Columns with at most this many distinct values are proposed for metadata or labels. */
const FEW = 20

export const describeColumns = (columns: readonly string[], rows: readonly Values[]): PreviewColumn[] =>
  columns.map(column =>
    describeColumn(
      column,
      rows.map(values => values[column] ?? null),
    ),
  )

function describeColumn(name: string, cells: readonly Json[]): PreviewColumn {
  const values = cells.filter(value => value !== null)
  const { type, dimensions } = findKind(values)
  const texts = values.map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
  const different = new Set(texts)
  const isListed = different.size <= PREVIEW_DISTINCT_MAX && texts.every(text => text.length <= DISTINCT_LENGTH_MAX)
  return {
    name,
    type,
    dimensions,
    empty: cells.length - values.length,
    distinct: isListed ? [...different] : null,
    suggestion: findUse(name, type, { values: values.length, different: different.size, rows: cells.length }),
    examples: [...different].slice(0, EXAMPLES_MAX).map(text => shorten(text, EXAMPLE_LENGTH)),
  }
}

type Kind = Pick<PreviewColumn, 'type' | 'dimensions'>

function findKind(values: readonly Json[]): Kind {
  const of = (type: ColumnKind): Kind => ({ type, dimensions: null })
  if (values.length === 0) return of('text')
  // In text formats such as CSV, lists and objects are JSON text.
  const read = values.map(value => (typeof value === 'string' && /^\s*[[{]/.test(value) ? toVector(value) : value))
  if (read.every(Array.isArray)) return findListKind(read as Json[][])
  if (read.every(value => typeof value === 'object')) return of('json')
  const texts = read.map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
  const known = SCALARS.find(([, is]) => texts.every(is))
  if (known) return of(known[0])
  const length = texts.reduce((sum, text) => sum + text.length, 0) / texts.length
  return of(length > LONG_TEXT_LENGTH || texts.some(text => text.includes('\n')) ? 'long_text' : 'text')
}

/** Two patterns, because one for both would take time that grows with the square of the length. */
const isImage = (text: string) =>
  /^data:image\//i.test(text) || (/^https?:\/\/\S+$/i.test(text) && /\.(png|jpe?g|gif|webp|avif|svg)(\?|$)/i.test(text))

const SCALARS: readonly [ColumnKind, (text: string) => boolean][] = [
  ['boolean', text => /^(true|false)$/i.test(text)],
  ['integer', text => Number.isSafeInteger(toNumber(text))],
  ['float', text => typeof toNumber(text) === 'number'],
  ['date', text => /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text)],
  ['image', isImage],
]

function findListKind(lists: readonly Json[][]): Kind {
  const isMessage = (value: Json) => typeof value === 'object' && value !== null && 'role' in value && 'content' in value
  if (lists.every(list => list.length > 0 && list.every(isMessage))) return { type: 'chat', dimensions: null }
  const dimensions = lists[0]?.length ?? 0
  const isVector =
    dimensions >= DIMENSIONS_MIN &&
    lists.every(list => list.length === dimensions && list.every(value => typeof value === 'number'))
  return isVector ? { type: 'vector', dimensions } : { type: 'list', dimensions: null }
}

interface Counts {
  rows: number
  values: number
  different: number
}

const USE_OF_KIND: Readonly<Partial<Record<ColumnKind, ColumnUse>>> = {
  vector: 'vector',
  chat: 'field',
  image: 'field',
  long_text: 'field',
  integer: 'metadata',
  float: 'metadata',
  boolean: 'metadata',
  date: 'metadata',
  json: 'metadata',
}

function findUse(name: string, type: ColumnKind, { rows, values, different }: Counts): ColumnUse {
  if (values === 0) return 'ignore'
  const words = name.toLowerCase()
  const isKey = values === rows && different === rows
  if (isKey && /^(id|_id|uuid|guid|key|external_?id|record_?id)$/.test(words)) return 'external_id'
  const isFew = different <= FEW && (values > different || values < FEW)
  if (/label|predict|^pred|class|category|sentiment|^answer|^target$/.test(words) && (isFew || type === 'list'))
    return 'suggestion'
  return USE_OF_KIND[type] ?? (type === 'list' || (values > 2 * FEW && isFew) ? 'metadata' : 'field')
}
