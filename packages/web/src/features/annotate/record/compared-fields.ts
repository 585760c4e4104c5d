/** Fields of a dataset that are compared, such as two replies to one chat, and the layout of a record that follows from them. */
import { COMPARED_FIELDS_MAX } from '../../../dataset-options.ts'

/**
 * Returns the fields chosen in the settings. If fewer than two of them exist, returns the last two, which usually respond to the
 * fields above.
 */
export function comparedFields<F extends { name: string }>(fields: readonly F[], names: readonly string[]): F[] {
  const named = fields.filter(({ name }) => names.includes(name)).slice(0, COMPARED_FIELDS_MAX)
  return named.length > 1 ? named : fields.slice(-2)
}

interface Part<F> {
  /** `context` fields are stacked, `side` fields are side by side. */
  name: 'context' | 'side'
  fields: F[]
}

/**
 * Places the fields side by side below all others. A single one, whose counterpart has no value in this record, is stacked with
 * the others.
 */
export function fieldParts<F>(shown: readonly F[], beside: readonly F[]): Part<F>[] {
  const side = shown.filter(field => beside.includes(field))
  const context = side.length > 1 ? shown.filter(field => !side.includes(field)) : [...shown]
  const parts: Part<F>[] = [
    { name: 'context', fields: context },
    { name: 'side', fields: side.length > 1 ? side : [] },
  ]
  return parts.filter(({ fields }) => fields.length > 0)
}
