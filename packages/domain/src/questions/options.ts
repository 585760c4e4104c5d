/**
 * Shared code of question types with options: option objects, unique values, and the number of visible options.
 *
 * A PATCH may reword and reorder options, but never add, remove or rename them, because stored answers refer to their values.
 */
import { invalid, type Path, ShapeError } from '../errors.ts'
import { listed, quoted } from '../message-values.ts'
import { type Json, List, Nullable, Optional, Shape, type Static, Text } from '../schema.ts'
import type { GivenSettings } from './question-type.ts'

const VISIBLE_OPTIONS_DEFAULT = 20

export const VISIBLE_OPTIONS_MIN = 3

/** An option in a POST body. */
export const OptionCreate = Shape({
  value: Text(1, 200),
  text: Text(1, 500),
  description: Optional(Nullable(Text(1, 1000))),
})

/** An option in a PATCH body. Only types are checked, so that options stored by older servers can be sent back. */
const OptionUpdate = Shape({ value: Text(), text: Text(), description: Optional(Nullable(Text())) })

/** An option as stored and returned. */
export const QuestionOption = Shape({ value: Text(), text: Text(), description: Nullable(Text()) })
export type QuestionOption = Static<typeof QuestionOption>

/** Options in a PATCH body. Null means not given. */
export const OptionsUpdate = (minItems: number) => Optional(Nullable(List(OptionUpdate, { minItems })))

interface OptionSettings {
  options: readonly { value: string | number }[]
}

interface VisibleOptions {
  visible_options?: number | null | undefined
}

export type GivenOption = Omit<QuestionOption, 'description'> & { description?: string | null | undefined }

/**
 * Two values with the same key look the same: they differ in their Unicode form or in invisible characters only. Zero-width joiners
 * count, because some scripts and emoji need them. Values are stored as they were sent, because answers are compared with them
 * exactly.
 */
export const toLabelKey = (value: string): string => value.normalize('NFC').replaceAll(/(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu, '')

export const twinsProblem = (value: string) => `Option values must look different, but ${quoted(value)} looks like another one`

/** For `x-check`: no two options have the same value. */
export function uniqueValuesProblem({ options }: OptionSettings): string | null {
  const seen = new Set<string | number>()
  const keys = new Set<string | number>()
  for (const { value } of options) {
    if (seen.has(value)) return `Option values must differ, but ${quoted(value)} appears more than once`
    const key = typeof value === 'string' ? toLabelKey(value) : value
    if (keys.has(key)) return twinsProblem(String(value))
    seen.add(value)
    keys.add(key)
  }
  return null
}

/** For `x-check`: values are unique, and there are enough options for `visible_options`. */
export function visibleOptionsProblem(settings: OptionSettings & VisibleOptions): string | null {
  return uniqueValuesProblem(settings) ?? tooManyVisible(settings.options.length, settings)
}

function tooManyVisible(optionsCount: number, { visible_options }: VisibleOptions): string | null {
  if (visible_options == null || visible_options <= optionsCount) return null
  return `\`visible_options\` is ${visible_options}, but there are only ${optionsCount} options`
}

export const toStoredOptions = (options: readonly GivenOption[]): QuestionOption[] =>
  options.map(({ value, text, description }) => ({ value, text, description: description ?? null }))

/** Number of labels shown before "more". Null means all; if it is omitted, the default is 20 for questions with more options. */
export function visibleOptionsOf({ options, visible_options }: OptionSettings & VisibleOptions): number | null {
  if (visible_options !== undefined) return visible_options
  return options.length > VISIBLE_OPTIONS_DEFAULT ? VISIBLE_OPTIONS_DEFAULT : null
}

/** Throws the same error as a schema limit. The limit is a server setting, so it cannot be part of the schema. */
export function checkOptionsMax(settings: GivenSettings, optionsMax: number): void {
  const count = settings.options?.length ?? 0
  if (count <= optionsMax) return
  const msg = `List should have at most ${optionsMax} items after validation, not ${count}`
  throw new ShapeError([{ type: 'too_long', loc: ['body', 'settings', settings.type, 'options'], msg }])
}

export function checkSameType(settings: { type: string }, patch: { type: string }): void {
  if (patch.type === settings.type) return
  throw invalid(`Question type cannot be changed: it is \`${settings.type}\`, not \`${patch.type}\``, ['settings', 'type'])
}

interface OptionsPatch extends VisibleOptions {
  options?: readonly GivenOption[] | null | undefined
}

/** Applies a PATCH to the options and `visible_options` of stored settings. */
export function patchOptions(
  settings: { options: QuestionOption[]; visible_options: number | null },
  patch: OptionsPatch,
): { options: QuestionOption[]; visible_options: number | null } {
  if (patch.options) checkSameOptions(settings.options, patch.options)
  const problem = tooManyVisible(settings.options.length, patch)
  if (problem !== null) throw invalid(problem, ['settings', 'visible_options'])
  return {
    options: patch.options ? toStoredOptions(patch.options) : settings.options,
    visible_options: patch.visible_options === undefined ? settings.visible_options : patch.visible_options,
  }
}

function checkSameOptions(stored: readonly QuestionOption[], given: readonly GivenOption[]): void {
  const at: Path = ['settings', 'options']
  if (given.length !== stored.length) {
    throw invalid(`The number of options cannot change: there are ${stored.length}, ${given.length} were given`, at)
  }
  const values = new Set(given.map(option => option.value))
  const missing = stored.filter(option => !values.has(option.value)).map(option => quoted(option.value))
  if (missing.length > 0) throw invalid(`Option values cannot change. Missing: ${listed(missing)}`, at)
}

const valueSets = new WeakMap<OptionSettings, ReadonlySet<Json>>()

/** Returns the option values as a set. Cached per settings object, because bulk writes need it for thousands of records. */
export function optionValues(settings: OptionSettings): ReadonlySet<Json> {
  let values = valueSets.get(settings)
  if (values === undefined) {
    values = new Set<Json>(settings.options.map(option => option.value))
    valueSets.set(settings, values)
  }
  return values
}

/** Throws if the value is not one of the options. */
export function checkOption(value: Json, question: { name: string; settings: OptionSettings }, at: Path = []): void {
  const values = optionValues(question.settings)
  if (values.has(value)) return
  throw invalid(`${quoted(value)} is not an option of question \`${question.name}\`. Options: ${listed([...values])}`, at)
}
