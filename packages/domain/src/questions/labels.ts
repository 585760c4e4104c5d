/**
 * Changes to labels that already have answers: adding labels, and replacing or removing one.
 *
 * Stored answers refer to label values. If a label is removed from a question, it is also removed from its answers and
 * suggestions, or replaced there.
 */
import { conflict, invalid, type Path } from '../errors.ts'
import { listed, quoted } from '../message-values.ts'
import type { Json } from '../schema.ts'
import {
  type GivenOption,
  type QuestionOption,
  toLabelKey,
  toStoredOptions,
  twinsProblem,
  VISIBLE_OPTIONS_MIN,
} from './options.ts'
import type { QuestionLimits } from './question-type.ts'

/** A value after a replacement: null if it is empty. */
export interface LabelReplacement {
  value: Json | null
  /** Indexes of the remaining entries of a list, to select the matching scores of a suggestion; null for a single value. */
  keptIndexes: number[] | null
}

export interface LabelRules {
  /** Minimum number of labels. */
  min: number
  max(limits: QuestionLimits): number
  /** Replaces `from` with `to`, or removes it if `to` is null. Returns undefined if the value does not contain `from`. */
  replace(value: Json, from: string, to: string | null): LabelReplacement | undefined
}

export interface LabelSettings {
  type: string
  options: QuestionOption[]
  visible_options: number | null
}

export function replaceSingleLabel(value: Json, from: string, to: string | null): LabelReplacement | undefined {
  return value === from ? { value: to, keptIndexes: null } : undefined
}

/** If the list contains both labels, only the first of them stays. */
export function replaceInLabelList(value: Json, from: string, to: string | null): LabelReplacement | undefined {
  if (!Array.isArray(value) || !value.includes(from)) return undefined
  const replaced = replaceInList(
    value,
    label => (label === from ? to : label),
    label => label,
  )
  return replaced.value.length === 0 ? { value: null, keptIndexes: [] } : replaced
}

/** Keeps an empty list, because having no spans is an answer. */
export function replaceInSpans(value: Json, from: string, to: string | null): LabelReplacement | undefined {
  if (!Array.isArray(value) || !value.some(span => labelOf(span) === from)) return undefined
  const toSpan = (span: Json) => {
    if (labelOf(span) !== from) return span
    return to === null ? null : { ...(span as object), label: to }
  }
  return replaceInList(value, toSpan, span => {
    const { start, end } = span as { start: number; end: number }
    return JSON.stringify([labelOf(span), start, end])
  })
}

const labelOf = (span: Json): Json | undefined =>
  typeof span === 'object' && span !== null && !Array.isArray(span) ? span.label : undefined

/** Drops entries that `change` maps to null, and duplicates by key. */
function replaceInList(list: readonly Json[], change: (entry: Json) => Json, keyOf: (entry: Json) => Json) {
  const seen = new Set<Json>()
  const value: Json[] = []
  const keptIndexes: number[] = []
  for (const [index, entry] of list.entries()) {
    const changed = change(entry)
    if (changed === null || seen.has(keyOf(changed))) continue
    seen.add(keyOf(changed))
    value.push(changed)
    keptIndexes.push(index)
  }
  return { value, keptIndexes }
}

/** Returns the scores for the remaining entries of a suggestion. */
export const keptScores = <S extends number | number[] | null>(score: S, { keptIndexes }: LabelReplacement): S =>
  Array.isArray(score) && keptIndexes !== null ? (keptIndexes.flatMap(index => score[index] ?? []) as S) : score

/**
 * Appends labels to the settings. Ignores labels that already exist with the same texts, so that a repeated request has no
 * effect.
 */
export function addLabels<S extends LabelSettings>(settings: S, added: readonly GivenOption[], max: number): S {
  const at: Path = ['options']
  const stored = new Map(settings.options.map(option => [option.value, option]))
  const given = toStoredOptions(added)
  const taken = given.filter(option => stored.has(option.value) && !isSame(option, stored.get(option.value)))
  if (taken.length > 0) {
    const names = listed(taken.map(({ value }) => quoted(value)))
    throw invalid(`These labels are there already, with another text or description: ${names}`, at)
  }
  const options = [...settings.options, ...given.filter(({ value }) => !stored.has(value))]
  checkLooks(
    settings.options.map(({ value }) => value),
    options.slice(settings.options.length).map(({ value }) => value),
    at,
  )
  if (options.length > max) {
    throw invalid(`A question of this type has at most ${max} labels; with these it would have ${options.length}`, at)
  }
  return { ...settings, options, visible_options: visibleOf(settings, options.length) }
}

/** Labels that are stored already are not compared with each other. */
function checkLooks(stored: readonly string[], added: readonly string[], at: Path): void {
  const keys = new Set(stored.map(toLabelKey))
  for (const value of added) {
    if (keys.has(toLabelKey(value))) throw invalid(twinsProblem(value), at)
    keys.add(toLabelKey(value))
  }
}

const isSame = (option: QuestionOption, stored: QuestionOption | undefined): boolean =>
  option.text === stored?.text && option.description === stored.description

/** If all labels were visible, all are visible afterwards. */
function visibleOf({ options, visible_options }: LabelSettings, count: number): number | null {
  if (visible_options === null) return null
  const visible = visible_options >= options.length ? count : Math.min(visible_options, count)
  return visible < VISIBLE_OPTIONS_MIN ? null : visible
}

/**
 * Removes the label `from` from the settings. If `to` is a new label, it takes the position and texts of `from`; a text that
 * equals the value changes with it.
 */
export function replaceLabel<S extends LabelSettings>(settings: S, from: string, to: string | null, min: number): S {
  const label = settings.options.find(({ value }) => value === from)
  if (label === undefined) {
    const values = listed(settings.options.map(({ value }) => quoted(value)))
    throw invalid(`${quoted(from)} is not a label of this question. Labels: ${values}`, ['from'])
  }
  const others = settings.options.map(({ value }) => value).filter(value => value !== from)
  if (to !== null && !others.includes(to)) checkLooks(others, [to], ['to'])
  if (to === from) throw invalid('`from` and `to` are the same label', ['to'])
  const isNew = to !== null && !settings.options.some(({ value }) => value === to)
  const renamed = { ...label, value: to ?? '', text: label.text === from ? (to ?? '') : label.text }
  const options = settings.options.flatMap(option => (option !== label ? option : isNew ? renamed : []))
  if (options.length < min) throw conflict(`A question of this type has at least ${min} labels: add another one first`)
  return { ...settings, options, visible_options: visibleOf(settings, options.length) }
}
