/** Filter categories of a dataset, as listed in the menus, each with the parts of its panel. */

import type { DatasetBundle } from '../../../../datasets/dataset-bundle.ts'
import type { MessageKey } from '../../../../i18n/i18n.ts'
import { metadataKindOf, termsOf } from '../../../../metadata/kinds.ts'
import { answerFilterOf, type FilterOption } from '../../../../questions/filters.ts'
import type { FilterTarget } from '../query/criteria.ts'

export const GROUPS = ['metadata', 'response', 'suggestion', 'record'] as const
export type FilterGroup = (typeof GROUPS)[number]

export type FilterPart =
  | { control: 'terms'; target: FilterTarget; label: MessageKey | null; options: FilterOption[]; isMulti: boolean }
  | { control: 'range'; target: FilterTarget; label: MessageKey | null; bounds: Bounds | null; isWhole: boolean }
  | { control: 'dates'; target: FilterTarget; label: MessageKey }
  | { control: 'exists'; target: FilterTarget; label: MessageKey | null; words: ExistsWords }

/** If the bounds are null, they come from the data. */
export interface Bounds {
  min: number
  max: number
}

/** Prefix of the texts `find.<words>_yes` and `find.<words>_no`. */
export type ExistsWords = 'has_value' | 'is_answered' | 'is_suggested' | 'is_flagged'

export interface FilterCategory {
  /** Unique within the dataset. */
  id: string
  group: FilterGroup
  title: string
  parts: FilterPart[]
}

export type Offering = Pick<DatasetBundle, 'questions' | 'metadataProperties'>
type Question = Offering['questions'][number]
type Property = Offering['metadataProperties'][number]

const SCORES: Bounds = { min: 0, max: 1 }

/** Excludes metadata properties that annotators are not allowed to see. */
export function filterCategories({ questions, metadataProperties }: Offering, isLead: boolean): FilterCategory[] {
  return [
    ...metadataProperties.filter(property => isLead || property.visible_for_annotators).map(ofProperty),
    ...questions.map(ofResponse),
    ...questions.map(ofSuggestion),
    OF_RECORD,
  ]
}

const at = (of: FilterTarget['of'], name: string | null, property: FilterTarget['property'] = 'value'): FilterTarget => ({
  of,
  name,
  property,
})

function ofProperty({ name, title, settings }: Property): FilterCategory {
  const target = at('metadata', name)
  const { control, isWhole } = metadataKindOf(settings)
  const values: FilterPart =
    control === 'terms'
      ? { control, target, label: null, options: toTerms(termsOf(settings)), isMulti: false }
      : { control, target, label: null, bounds: null, isWhole }
  const exists: FilterPart = { control: 'exists', target, label: null, words: 'has_value' }
  return { id: `metadata.${name}`, group: 'metadata', title: title || name, parts: [values, exists] }
}

const toTerms = (values: readonly unknown[] | null | undefined): FilterOption[] =>
  (values ?? []).map(value => ({ value: String(value), text: String(value) }))

const ofResponse = (question: Question): FilterCategory => ({
  id: `response.${question.name}`,
  group: 'response',
  title: question.title || question.name,
  parts: [
    ...answerParts(question, at('response', question.name)),
    { control: 'exists', target: at('response', question.name), label: null, words: 'is_answered' },
  ],
})

const ofSuggestion = (question: Question): FilterCategory => ({
  id: `suggestion.${question.name}`,
  group: 'suggestion',
  title: question.title || question.name,
  parts: [
    ...answerParts(question, at('suggestion', question.name)),
    { control: 'range', target: at('suggestion', question.name, 'score'), label: 'find.score', bounds: SCORES, isWhole: false },
    { control: 'terms', target: at('suggestion', question.name, 'agent'), label: 'find.agent', options: [], isMulti: false },
    { control: 'exists', target: at('suggestion', question.name), label: null, words: 'is_suggested' },
  ],
})

function answerParts(question: Question, target: FilterTarget): FilterPart[] {
  const { kind, isMulti, hint, options } = answerFilterOf(question)
  const known = options(question)
  if (kind === 'options') return [{ control: 'terms', target, label: hint, options: known, isMulti }]
  if (kind === 'presence') return []
  const numbers = known.map(({ value }) => Number(value))
  return [
    { control: 'range', target, label: hint, bounds: { min: Math.min(...numbers), max: Math.max(...numbers) }, isWhole: true },
  ]
}

const OF_RECORD: FilterCategory = {
  id: 'record',
  group: 'record',
  title: '',
  parts: [
    { control: 'exists', target: at('response', null), label: 'find.my_response', words: 'is_answered' },
    { control: 'exists', target: at('suggestion', null), label: 'find.any_suggestion', words: 'is_suggested' },
    { control: 'exists', target: at('record', 'flag'), label: 'find.my_flag', words: 'is_flagged' },
    { control: 'dates', target: at('record', 'inserted_at'), label: 'find.added' },
    { control: 'dates', target: at('record', 'updated_at'), label: 'find.changed' },
  ],
}

export const isSameTarget = (a: FilterTarget, b: FilterTarget) => a.of === b.of && a.name === b.name && a.property === b.property

/** Returns the category in which a filter is edited; undefined if its target no longer exists. */
export const categoryOf = (categories: readonly FilterCategory[], target: FilterTarget) =>
  categories.find(({ parts }) => parts.some(part => isSameTarget(part.target, target)))
