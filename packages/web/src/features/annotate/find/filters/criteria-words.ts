/** Texts for criteria: filter badges and names of sort keys. */
import { language, list, n, score, t } from '../../../../i18n/i18n.ts'
import type { CriteriaFilter, FilterTarget, FilterValue, SortKey } from '../query/criteria.ts'
import { categoryOf, type FilterCategory, type FilterPart, isSameTarget, type Offering } from './offers.ts'

export interface Badge {
  target: FilterTarget
  label: string
  value: string
}

const SHOWN_VALUES = 2
const DASH = '–'

export const toBadges = (filters: readonly CriteriaFilter[], categories: readonly FilterCategory[]): Badge[] =>
  filters.map(({ target, value }) => {
    const category = categoryOf(categories, target)
    const parts = category?.parts.filter(part => isSameTarget(part.target, target)) ?? []
    return { target, label: labelOf(target, category, parts), value: describeValue(value, target, parts) }
  })

function labelOf(
  { of, name, property }: FilterTarget,
  category: FilterCategory | undefined,
  parts: readonly FilterPart[],
): string {
  if (of === 'record' || name === null) {
    const label = parts[0]?.label
    return label ? t(label) : (name ?? '')
  }
  const title = category?.title ?? name
  if (of === 'metadata') return title
  if (of === 'response') return t('find.badge_response', { title })
  return t(`find.badge_suggestion_${property}`, { title })
}

function describeValue(value: FilterValue, { property }: FilterTarget, parts: readonly FilterPart[]): string {
  switch (value.kind) {
    case 'exists':
      return describeExists(value.exists, parts)
    case 'dates':
      return describeEnds(value.from && day(value.from), value.to && day(value.to))
    case 'range': {
      const write = property === 'score' ? (number: number) => score(number, 2) : n
      return describeEnds(value.from === null ? null : write(value.from), value.to === null ? null : write(value.to))
    }
    case 'terms':
      return describeTerms(value.values, value.isAll === true, parts)
  }
}

function describeExists(exists: boolean, parts: readonly FilterPart[]): string {
  const words = parts.flatMap(part => (part.control === 'exists' ? [part.words] : []))[0] ?? 'has_value'
  return t(`find.${words}_${exists ? 'yes' : 'no'}`)
}

function describeEnds(from: string | null, to: string | null): string {
  if (from === null) return to === null ? '' : `≤ ${to}`
  if (to === null) return `≥ ${from}`
  return from === to ? from : `${from} ${DASH} ${to}`
}

function describeTerms(values: readonly string[], isAll: boolean, parts: readonly FilterPart[]): string {
  const options = parts.flatMap(part => (part.control === 'terms' ? part.options : []))
  const names = values.map(value => options.find(option => option.value === value)?.text ?? value)
  const more = names.length - SHOWN_VALUES
  if (more > 0) return t('find.and_more', { names: names.slice(0, SHOWN_VALUES).join(', '), count: more })
  return isAll ? list(names) : new Intl.ListFormat(language.value, { type: 'disjunction' }).format(names)
}

/** Formatted in UTC, so that a calendar day is the same in every time zone. */
const day = (date: string) => {
  const time = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(time)
    ? date
    : new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeZone: 'UTC' }).format(time)
}

export function sortName({ of, name, property }: Omit<SortKey, 'order'>, { questions, metadataProperties }: Offering): string {
  if (of === 'record') return t(name === 'updated_at' ? 'find.changed' : 'find.added')
  if (of === 'metadata') return metadataProperties.find(one => one.name === name)?.title || name
  const title = questions.find(one => one.name === name)?.title || name
  return of === 'response' ? t('find.sort_response', { title }) : t(`find.sort_suggestion_${property}`, { title })
}
