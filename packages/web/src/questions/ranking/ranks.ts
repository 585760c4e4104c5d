/** Ranks as a map from option to rank. Ranks start at 1; several options can share a rank. */

import type { Question } from '@postil/domain/questions'
import { ranksOf } from '@postil/domain/questions/answered'
import type { QuestionOption } from '@postil/domain/questions/options'
import type { Suggestion } from '@postil/domain/suggestions'
import { settingsOf } from '../settings-of.ts'

export type Ranks = ReadonlyMap<string, number>

export interface RankedOption {
  value: string
  rank: number
}

export const optionsOf = (question: Question) => settingsOf(question, 'ranking').options

/** Returns the answer: ranked options by rank, or null if none is ranked. */
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

/** Moves one slot up or down. An unranked item moves up into the last slot; the first and last slot are limits. */
export function stepped(rank: number | null, by: 1 | -1, count: number): number | null {
  if (rank === null) return by === -1 ? count : null
  return Math.min(count, Math.max(1, rank + by))
}

/** Returns the next unranked option after this one, wrapping around; null if all are ranked. */
export function nextUnranked(options: readonly Pick<QuestionOption, 'value'>[], ranks: Ranks, after: string): string | null {
  const at = options.findIndex(({ value }) => value === after)
  const others = [...options.slice(at + 1), ...options.slice(0, at + 1)]
  return others.find(({ value }) => !ranks.has(value))?.value ?? null
}

/** The Python client sends a plain list of names with null ranks; its order is the ranking. */
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

/** Returns the option of a suggestion's entry. */
export const entryValue = (entry: unknown) => (isEntry(entry) ? entry.value : entry)

/** Compares ranks. Ignores the list order and entries without a rank. */
export function areEqual(a: unknown, b: unknown): boolean {
  const [one, other] = [a, b].map(value => {
    const entries = (Array.isArray(value) ? value : []).filter(isEntry)
    return new Map(entries.flatMap(({ value, rank }) => (typeof rank === 'number' ? [[value, rank] as const] : [])))
  })
  if (one === undefined || other === undefined) return false
  return one.size === other.size && [...one].every(([value, rank]) => other.get(value) === rank)
}

/** Formats a ranking as `A > B = C`. */
export function summarize(value: unknown, question: Question): string {
  const options = optionsOf(question)
  const ranked = toValue(ranksOf(value, options), options) ?? []
  const textOf = new Map(options.map(option => [option.value, option.text]))
  return ranked
    .map(({ value, rank }, index) => `${index === 0 ? '' : rank === ranked[index - 1]?.rank ? ' = ' : ' > '}${textOf.get(value)}`)
    .join('')
}
