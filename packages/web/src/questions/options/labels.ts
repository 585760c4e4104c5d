/** Editing the labels of a question: order, wording, letters, a pasted list. */
import type { QuestionOption } from '@postil/domain/questions/options'
import { fold } from './fuzzy.ts'

export const VISIBLE_MIN = 3

/** As the server takes them. */
export const VALUE_LENGTH_MAX = 200
export const TEXT_LENGTH_MAX = 500

export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const next = [...items]
  const [item] = next.splice(from, 1)
  if (item !== undefined) next.splice(Math.max(0, to), 0, item)
  return next
}

/** The slider's end means all, also when labels are added later. */
export const toVisible = (position: number, count: number): number | null =>
  position >= count ? null : Math.max(VISIBLE_MIN, position)

interface PastedLabel {
  /** Null when the line is a name alone. */
  value: string | null
  text: string
}

/** One label a line; with a tab, its value before its name. */
export function readPasted(text: string): PastedLabel[] {
  return text.split(/\r?\n/).flatMap(line => {
    const [first = '', second = ''] = line.split('\t').map(part => part.trim())
    if (first === '' && second === '') return []
    return [second === '' || first === '' ? { value: null, text: first || second } : { value: first, text: second }]
  })
}

interface Pasted {
  options: QuestionOption[]
  /** Lines that are no label here. */
  unknown: string[]
}

/**
 * Brings labels into the order of a pasted list and takes its wording; labels that are not in it follow after. What is new is
 * added where that is possible.
 */
export function applyPasted(options: readonly QuestionOption[], pasted: readonly PastedLabel[], canAdd: boolean): Pasted {
  const byName = new Map(options.flatMap(option => [option.text, option.value].map(name => [fold(name).text, option] as const)))
  const byValue = new Map(options.map(option => [option.value, option]))
  const taken = new Map<string, QuestionOption>()
  const unknown: string[] = []
  for (const { value, text } of pasted) {
    const known = byValue.get(value ?? text) ?? byName.get(fold(value ?? text).text)
    const isFitting = text.length <= TEXT_LENGTH_MAX && (value ?? text).length <= VALUE_LENGTH_MAX
    if (known) taken.set(known.value, value === null ? known : { ...known, text })
    else if (canAdd && isFitting) taken.set(value ?? text, { value: value ?? text, text, description: null })
    else unknown.push(text)
  }
  return { options: [...taken.values(), ...options.filter(({ value }) => !taken.has(value))], unknown }
}

/** A letter belongs to one label: it is taken from the other. */
export function withLetter(letters: Readonly<Record<string, string>>, value: string, typed: string): Record<string, string> {
  const letter = [...typed].findLast(sign => /^\p{L}$/u.test(sign))?.toLowerCase()
  const others = Object.entries(letters).filter(([other, taken]) => other !== value && taken.toLowerCase() !== letter)
  return Object.fromEntries(letter === undefined ? others : [...others, [value, letter]])
}

/** A value for a new label that no other has. */
export function freeValue(text: string, options: readonly Pick<QuestionOption, 'value'>[]): string {
  const taken = new Set(options.map(({ value }) => value))
  const base = text.slice(0, VALUE_LENGTH_MAX - 8)
  for (let count = 2, value = base; ; value = `${base} ${count++}`) if (!taken.has(value)) return value
}
