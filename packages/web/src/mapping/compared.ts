/** Recognises a plan whose questions compare fields, such as two replies to one prompt. */
import { COMPARED_FIELDS_MAX } from '../dataset-options.ts'
import { type Plan, type QuestionPlan, usesWith } from './plan.ts'

/** Parts of names that tell counterparts apart: `reply_a` and `reply_b`, `answer1` and `answer2`, `chosen` and `rejected`. */
const SIDE =
  /^(?:chosen|rejected|[a-d]|[1-4])(?=[ _-])|(?<=[ _-])(?:chosen|rejected|[a-d])$|(?<=[^\d])[1-4]$|^(?:chosen|rejected)$/i

/** Returns the names of the compared fields; empty for the last two fields; null if nothing is compared. */
export function comparedIn(plan: Plan): string[] | null {
  const names = usesWith(plan, 'field')
    .filter(({ kind }) => kind !== 'image')
    .map(({ target }) => target.trim())
  if (names.length < 2 || !plan.questions.some(question => isComparison(question, names))) return null
  const groups = Map.groupBy(names, name => name.replace(SIDE, '*'))
  const counterparts = [...groups.values()].find(group => group.length > 1 && group.length <= COMPARED_FIELDS_MAX)
  return counterparts ?? []
}

/** Options that are sides, or the fields themselves. */
function isComparison({ settings }: QuestionPlan, fields: readonly string[]): boolean {
  const options: readonly { value: unknown }[] = 'options' in settings ? settings.options : []
  const values = options.map(({ value }) => String(value).toLowerCase())
  return ['a', 'b'].every(side => values.includes(side)) || fields.filter(name => values.includes(name.toLowerCase())).length > 1
}
