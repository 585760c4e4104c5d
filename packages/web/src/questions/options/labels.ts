/** Operations on the labels of a question: order, names, letters, pasted lists. */
import type { QuestionOption } from '@postil/domain/questions/options'
import { fold } from './fuzzy.ts'

export const VISIBLE_MIN = 3

/** Limits of the server. */
export const VALUE_LENGTH_MAX = 200
export const TEXT_LENGTH_MAX = 500

export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const next = [...items]
  const [item] = next.splice(from, 1)
  if (item !== undefined) next.splice(Math.max(0, to), 0, item)
  return next
}

/** The end of the slider means all options, including ones added later. */
export const toVisible = (position: number, count: number): number | null =>
  position >= count ? null : Math.max(VISIBLE_MIN, position)

interface PastedLabel {
  /** Null if the line contains only a name. */
  value: string | null
  text: string
}

/** Reads one label per line; with a tab, the value comes before the name. */
export function readPasted(text: string): PastedLabel[] {
  return text.split(/\r?\n/).flatMap(line => {
    const [first = '', second = ''] = line.split('\t').map(part => part.trim())
    if (first === '' && second === '') return []
    return [second === '' || first === '' ? { value: null, text: first || second } : { value: first, text: second }]
  })
}

interface Pasted {
  options: QuestionOption[]
  /** Lines that match no label. */
  unknown: string[]
}

/**
 * Applies the order and names of a pasted list. If `canAdd` is true, the labels are new, and the list replaces them; otherwise
 * labels that are not in it follow at the end, and upper and lower case are the same.
 */
export function applyPasted(options: readonly QuestionOption[], pasted: readonly PastedLabel[], canAdd: boolean): Pasted {
  const toKey = canAdd ? (name: string) => name : (name: string) => fold(name).text
  const byName = new Map(options.flatMap(option => [option.text, option.value].map(name => [toKey(name), option] as const)))
  const byValue = new Map(options.map(option => [option.value, option]))
  const taken = new Map<string, QuestionOption>()
  const unknown: string[] = []
  for (const { value, text } of pasted) {
    const known = byValue.get(value ?? text) ?? byName.get(toKey(value ?? text))
    const isFitting = text.length <= TEXT_LENGTH_MAX && (value ?? text).length <= VALUE_LENGTH_MAX
    if (known) taken.set(known.value, value === null ? known : { ...known, text })
    else if (canAdd && isFitting) taken.set(value ?? text, { value: value ?? text, text, description: null })
    else unknown.push(text)
  }
  return { options: [...taken.values(), ...(canAdd ? [] : options.filter(({ value }) => !taken.has(value)))], unknown }
}

/** Assigns a letter to a label and removes it from any other label. */
export function withLetter(letters: Readonly<Record<string, string>>, value: string, typed: string): Record<string, string> {
  const letter = [...typed].findLast(sign => /^\p{L}$/u.test(sign))?.toLowerCase()
  const others = Object.entries(letters).filter(([other, taken]) => other !== value && taken.toLowerCase() !== letter)
  return Object.fromEntries(letter === undefined ? others : [...others, [value, letter]])
}

/** Returns an unused value for a new label. */
export function freeValue(text: string, options: readonly Pick<QuestionOption, 'value'>[]): string {
  const taken = new Set(options.map(({ value }) => value))
  const base = text.slice(0, VALUE_LENGTH_MAX - 8)
  for (let count = 2, value = base; ; value = `${base} ${count++}`) if (!taken.has(value)) return value
}
