/** Adds labels to an existing question, and rebases edits of a question whose labels have changed in the meantime. */
import type { QuestionOption } from '@postil/domain/questions/options'
import type { QuestionSettings } from '@postil/domain/questions/registry'
import type { DatasetOptions } from '../../dataset-options.ts'

/** Limits of the server. */
export const LABEL_VALUE_MAX = 200
const LABEL_TEXT_MAX = 500
export const LABEL_DESCRIPTION_MAX = 1_000

interface ReadLabels {
  /** New options. */
  options: QuestionOption[]
  /** Values that the question already has, or that occur twice in the list. */
  known: string[]
  tooLong: string[]
}

/** Parses one label per line: its name, or its value, a tab and its name. A third part is the description. */
export function readLabels(text: string, stored: readonly { value: string }[]): ReadLabels {
  const taken = new Set(stored.map(({ value }) => value))
  const read: ReadLabels = { options: [], known: [], tooLong: [] }
  for (const line of text.split(/\r?\n/)) {
    const [value = '', name = '', description = ''] = line.split('\t').map(part => part.trim())
    const option = { value: value || name, text: name || value, description: description || null }
    if (option.value === '') continue
    if (taken.has(option.value)) read.known.push(option.value)
    else if (isTooLong(option)) read.tooLong.push(option.value)
    else {
      taken.add(option.value)
      read.options.push(option)
    }
  }
  return read
}

const isTooLong = ({ value, text, description }: QuestionOption): boolean =>
  [...value].length > LABEL_VALUE_MAX ||
  [...text].length > LABEL_TEXT_MAX ||
  [...(description ?? '')].length > LABEL_DESCRIPTION_MAX

type WithLabels = Extract<QuestionSettings, { visible_options: number | null }>

const hasLabels = (settings: QuestionSettings): settings is WithLabels => 'visible_options' in settings

/**
 * Returns the edited settings with the labels that are stored now. Edited order and texts stay; if the order was edited, new
 * labels come last.
 */
export function rebase(edited: QuestionSettings, stored: QuestionSettings): QuestionSettings {
  if (!hasLabels(edited) || !hasLabels(stored)) return edited
  const values = new Set(stored.options.map(({ value }) => value))
  const kept = edited.options.filter(({ value }) => values.has(value))
  const known = new Set(kept.map(({ value }) => value))
  // Uses the stored order if it was not edited.
  const added = stored.options.filter(({ value }) => !known.has(value))
  const isOrdered = stored.options.filter(({ value }) => known.has(value)).every(({ value }, i) => value === kept[i]?.value)
  const byValue = new Map(kept.map(option => [option.value, option]))
  const options = isOrdered ? stored.options.map(option => byValue.get(option.value) ?? option) : [...kept, ...added]
  return { ...edited, options, visible_options: stored.visible_options } as QuestionSettings
}

/** Moves the letter and colour of a label to its new value, unless that has its own. Removes them if there is no new value. */
export function withoutLabel(
  { letters, colours }: Pick<DatasetOptions, 'letters' | 'colours'>,
  question: string,
  from: string,
  to: string | null,
): Pick<DatasetOptions, 'letters' | 'colours'> {
  const moved = <T>(all: Record<string, Record<string, T>>): Record<string, Record<string, T>> => {
    const { [from]: value, ...others } = all[question] ?? {}
    if (value === undefined) return all
    const isMoved = to !== null && others[to] === undefined
    return { ...all, [question]: isMoved ? { ...others, [to]: value } : others } as Record<string, Record<string, T>>
  }
  return { letters: moved(letters), colours: moved(colours) }
}
