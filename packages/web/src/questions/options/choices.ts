/** Options of a label question, prepared for display: numbered, sorted and folded. */
import type { QuestionOption } from '@postil/domain/questions/options'
import type { Suggested } from '../suggested.ts'
import { type Folded, fold } from './fuzzy.ts'

export interface Choice {
  value: string
  text: string
  description: string | null
  /** Number that picks the option. It depends only on the question's settings, so that it is the same on every record. */
  number: number
  folded: Folded
}

export const SEARCH_FROM = 15
export const RECENT_FROM = 31

export const toChoices = (options: readonly QuestionOption[]): Choice[] =>
  options.map(({ value, text, description }, index) => ({ value, text, description, number: index + 1, folded: fold(text) }))

/** Sorts suggested options first, by descending score; the order of the others is unchanged. */
export function suggestedFirst(choices: readonly Choice[], suggested: Suggested): Choice[] {
  const scoreOf = (choice: Choice) => suggested.get(choice.value) ?? -1
  const first = choices.filter(({ value }) => suggested.has(value)).sort((a, b) => scoreOf(b) - scoreOf(a) || a.number - b.number)
  return [...first, ...choices.filter(({ value }) => !suggested.has(value))]
}

/** Returns the first `limit` options and all selected ones. */
export function foldChoices(choices: readonly Choice[], limit: number, selected: ReadonlySet<string>): Choice[] {
  return choices.filter(({ value }, index) => index < limit || selected.has(value))
}

export const canFold = (count: number, visible: number | null): visible is number => visible !== null && visible < count

export const hasSearch = (count: number, visible: number | null) => count >= SEARCH_FROM || canFold(count, visible)
