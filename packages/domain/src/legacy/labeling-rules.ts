/** Labelling rules for text classification: records that match the query probably have the labels. */
import { List, NullByDefault, Optional, Shape, type Static, Text, Timestamp, Type } from '../schema.ts'
import { QUERY_TEXT_LENGTH_MAX } from './query-text.ts'
import { LABEL_LENGTH_MAX } from './record.ts'

const RuleLabel = Text(1, LABEL_LENGTH_MAX)
const Labels = List(RuleLabel, { minItems: 1, maxItems: 100 })

/** Either `label` or `labels` is required. */
const checkLabels = ({ label, labels }: { label?: string | null; labels?: string[] | null }) =>
  label == null && labels == null ? 'needs `labels`, or `label` for a single one' : null

const Given = { labels: NullByDefault(Labels), label: NullByDefault(RuleLabel), description: NullByDefault(Text(0, 1_000)) }
const options = { 'x-check': checkLabels as (value: never) => string | null }

export const RuleUpdate = Shape(Given, options)
export type RuleUpdate = Static<typeof RuleUpdate>

export const RuleCreate = Shape(
  { query: Type.String({ minLength: 1, maxLength: QUERY_TEXT_LENGTH_MAX, 'x-trim': true }), ...Given },
  options,
)
export type RuleCreate = Static<typeof RuleCreate>

export const Rule = Shape({
  query: Text(),
  labels: List(Text()),
  label: Optional(Text()),
  description: Optional(Text()),
  author: Text(),
  created_at: Timestamp,
})
export type Rule = Static<typeof Rule>

/** Returns the caller's part of a rule in its stored form. `label` is set if there is exactly one. */
export function toRuleParts({ labels, label, description }: RuleUpdate): Pick<Rule, 'labels' | 'label' | 'description'> {
  const all = [...new Set(labels ?? (label == null ? [] : [label]))]
  return { labels: all, ...(all.length === 1 && { label: all[0] as string }), ...(description == null ? {} : { description }) }
}
