/** Ranks as a table from option to place; places begin at 1, several options may share one. */

import type { Question } from '@postil/domain/questions'
import type { QuestionOption } from '@postil/domain/questions/options'
import type { Suggestion } from '@postil/domain/suggestions'
import { settingsOf } from '../settings-of.ts'

export type Ranks = ReadonlyMap<string, number>

export interface RankedOption {
  value: string
  rank: number
}

export const optionsOf = (question: Question) => settingsOf(question, 'ranking').options

/** What is no option or no place is left out. */
export function ranksOf(value: unknown, options: readonly Pick<QuestionOption, 'value'>[]): Ranks {
  const known = new Set(options.map(option => option.value))
  const entries = (Array.isArray(value) ? value : []).flatMap((entry: unknown): [string, number][] => {
    if (typeof entry !== 'object' || entry === null || !('value' in entry) || !('rank' in entry)) return []
    const { value, rank } = entry
    const isKnown = typeof value === 'string' && known.has(value)
    return isKnown && typeof rank === 'number' && Number.isInteger(rank) && rank >= 1 && rank <= options.length
      ? [[value, rank]]
      : []
  })
  return new Map(entries)
}

/** The answer: what is ranked, the first place first; null when nothing is. */
export function toValue(ranks: Ranks, options: readonly Pick<QuestionOption, 'value'>[]): RankedOption[] | null {
  const ranked = options.flatMap(({ value }) => {
    const rank = ranks.get(value)
    return rank === undefined ? [] : [{ value, rank }]
  })
  return ranked.length > 0 ? ranked.sort((a, b) => a.rank - b.rank) : null
}

export function withRank(ranks: Ranks, value: string, rank: number | null): Ranks {
  const next = new Map(ranks)
  if (rank === null) next.delete(value)
  else next.set(value, rank)
  return next
}

/** One slot up or down; up from below leads into the last slot, and the ends hold. */
export function stepped(rank: number | null, by: 1 | -1, count: number): number | null {
  if (rank === null) return by === -1 ? count : null
  return Math.min(count, Math.max(1, rank + by))
}

/** The unranked option that comes after this one, from the top again after the last; null when all are ranked. */
export function nextUnranked(options: readonly Pick<QuestionOption, 'value'>[], ranks: Ranks, after: string): string | null {
  const at = options.findIndex(({ value }) => value === after)
  const others = [...options.slice(at + 1), ...options.slice(0, at + 1)]
  return others.find(({ value }) => !ranks.has(value))?.value ?? null
}

/** A plain list of names, which the Python client sends with ranks of null, means its order. */
export function suggestedRanks(suggestion: Pick<Suggestion, 'value'>, question: Question): Ranks {
  const options = optionsOf(question)
  const entries = Array.isArray(suggestion.value) ? suggestion.value : []
  const isPlain = entries.every(entry => typeof entry === 'string' || (isEntry(entry) && (entry.rank ?? null) === null))
  if (!isPlain) return ranksOf(entries, options)
  const listed = entries.map((entry, index) => ({ value: isEntry(entry) ? entry.value : entry, rank: index + 1 }))
  return ranksOf(listed, options)
}

const isEntry = (entry: unknown): entry is { value: unknown; rank?: unknown } =>
  typeof entry === 'object' && entry !== null && 'value' in entry

/** The option a suggestion's entry is about. */
export const entryValue = (entry: unknown) => (isEntry(entry) ? entry.value : entry)

export const isComplete = (value: unknown, question: Question) => {
  const options = optionsOf(question)
  return ranksOf(value, options).size === options.length
}

export function isPartial(value: unknown, question: Question): boolean {
  const { size } = ranksOf(value, optionsOf(question))
  return size > 0 && size < optionsOf(question).length
}

/** Same places; the order in the list means nothing, an entry without a rank is none. */
export function areEqual(a: unknown, b: unknown): boolean {
  const [one, other] = [a, b].map(value => {
    const entries = (Array.isArray(value) ? value : []).filter(isEntry)
    return new Map(entries.flatMap(({ value, rank }) => (typeof rank === 'number' ? [[value, rank] as const] : [])))
  })
  if (one === undefined || other === undefined) return false
  return one.size === other.size && [...one].every(([value, rank]) => other.get(value) === rank)
}

/** `A > B = C` */
export function summarize(value: unknown, question: Question): string {
  const options = optionsOf(question)
  const ranked = toValue(ranksOf(value, options), options) ?? []
  const textOf = new Map(options.map(option => [option.value, option.text]))
  return ranked
    .map(({ value, rank }, index) => `${index === 0 ? '' : rank === ranked[index - 1]?.rank ? ' = ' : ' > '}${textOf.get(value)}`)
    .join('')
}
