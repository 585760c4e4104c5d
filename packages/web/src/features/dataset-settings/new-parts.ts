/** Validates and converts the forms for metadata properties and vectors settings. */
import type { MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { VectorsSettingsCreate } from '@postil/domain/vectors'
import { type Issue, NAME_MAX, requiredIssue, TITLE_MAX } from './issues.ts'

export const PROPERTY_TYPES = ['terms', 'integer', 'float'] as const
export type PropertyType = (typeof PROPERTY_TYPES)[number]

export interface PropertyDraft {
  name: string
  title: string
  type: PropertyType
  /** One term per line. */
  terms: string
  min: string
  max: string
  visible: boolean
}

export const EMPTY_PROPERTY: PropertyDraft = { name: '', title: '', type: 'terms', terms: '', min: '', max: '', visible: true }
const TERMS_MAX = 250

const termsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/\r?\n/)
      .map(term => term.trim())
      .filter(term => term !== ''),
  ),
]

/** Returns null if the input is empty. */
const toNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text))
const isNumber = (text: string, type: PropertyType) => {
  const number = toNumber(text)
  return number === null || (type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number))
}

type Issues<T> = { [Part in keyof T]?: Issue | null }

const nameIssue = (name: string, taken: readonly { name: string }[]): Issue | null =>
  taken.some(other => other.name === name.trim()) ? { key: 'datasetChanges.name_taken' } : requiredIssue(name, NAME_MAX)

export function propertyIssues(draft: PropertyDraft, taken: readonly { name: string }[]): Issues<PropertyDraft> {
  const { name, title, type, terms, min, max } = draft
  const texts = { name: nameIssue(name, taken), title: title.trim() === '' ? null : requiredIssue(title, TITLE_MAX) }
  if (type === 'terms') {
    const isMany = termsOf(terms).length > TERMS_MAX
    return { ...texts, terms: isMany ? { key: 'datasetChanges.terms_many', values: { max: TERMS_MAX } } : null }
  }
  const wrong: Issue = { key: type === 'integer' ? 'datasetChanges.integer_issue' : 'datasetChanges.number_issue' }
  const [from, to] = [toNumber(min), toNumber(max)]
  const areTurned = from !== null && to !== null && from >= to
  return {
    ...texts,
    min: isNumber(min, type) ? null : wrong,
    max: !isNumber(max, type) ? wrong : areTurned ? { key: 'datasetChanges.max_issue' } : null,
  }
}

/** The title defaults to the name. */
export function toProperty({ name, title, type, terms, min, max, visible }: PropertyDraft): MetadataPropertyCreate {
  const values = termsOf(terms)
  const settings =
    type === 'terms' ? { type, values: values.length === 0 ? null : values } : { type, min: toNumber(min), max: toNumber(max) }
  return { name: name.trim(), title: title.trim() || name.trim(), settings, visible_for_annotators: visible }
}

export interface VectorsDraft {
  name: string
  title: string
  dimensions: string
}

export const EMPTY_VECTORS: VectorsDraft = { name: '', title: '', dimensions: '' }

export function vectorsIssues(
  { name, title, dimensions }: VectorsDraft,
  taken: readonly { name: string }[],
): Issues<VectorsDraft> {
  const size = toNumber(dimensions)
  return {
    name: nameIssue(name, taken),
    title: title.trim() === '' ? null : requiredIssue(title, TITLE_MAX),
    dimensions: size !== null && Number.isSafeInteger(size) && size >= 1 ? null : { key: 'datasetSettings.min_submitted_issue' },
  }
}

export const toVectors = ({ name, title, dimensions }: VectorsDraft): VectorsSettingsCreate => ({
  name: name.trim(),
  title: title.trim() || name.trim(),
  dimensions: Number(dimensions),
})
