/** Suggested options and their scores. */
import type { Suggestion } from '@postil/domain/suggestions'
import { score, t } from '../i18n/i18n.ts'

/** Option value -> score; null if the suggestion has no score. */
export type Suggested = ReadonlyMap<unknown, number | null>

const NONE: Suggested = new Map()

export function suggestedBy(suggestion: Suggestion | null, optionOf = (entry: unknown) => entry): Suggested {
  if (suggestion === null || suggestion.value === null) return NONE
  const { value, score } = suggestion
  if (!Array.isArray(value)) return new Map([[optionOf(value), typeof score === 'number' ? score : null]])
  return new Map(value.map((entry, index) => [optionOf(entry), (Array.isArray(score) ? score[index] : null) ?? null]))
}

/** Text for tooltips and screen readers: score with two decimals, and the agent. */
export function suggestionTitle(ofOption: number | null, agent: string | null): string {
  const parts = [ofOption === null ? t('questions.suggested') : t('questions.suggested_score', { score: score(ofOption, 2) })]
  if (agent !== null) parts.push(t('questions.suggested_by', { agent }))
  return parts.join(', ')
}
