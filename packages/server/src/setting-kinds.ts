/** Kinds of settings: how each is parsed and described. */
import { homedir } from 'node:os'
import { resolve } from 'node:path'

export interface Setting<T = unknown> {
  /** Without the prefix. */
  name: string
  otherName?: string
  about: string
  /** Description of valid values. */
  expected: string
  fallback: T
  /** Description of the default, if the value itself is not clear enough. */
  fallbackText?: string
  /** True if the value may contain a password or a key: it is never shown. */
  secret?: true
  /** Returns the parsed value, or undefined if it is invalid. */
  read(given: string): T | undefined
}

export const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 't', 'yes', 'y', 'on'].map(word => [word, true] as const),
  ...['0', 'false', 'f', 'no', 'n', 'off'].map(word => [word, false] as const),
])
const BYTES_OF_UNIT: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
}

export const text = <T extends string | null>(name: string, fallback: T, about: string): Setting<string | T> => {
  return { name, about, fallback, expected: 'text', read: given => given }
}

export const integer = (name: string, fallback: number, [min, max]: [number, number], about: string): Setting<number> => {
  const read = (given: string) =>
    /^\d{1,15}$/.test(given) && Number(given) >= min && Number(given) <= max ? Number(given) : undefined
  return { name, about, fallback, expected: `a whole number from ${min} to ${max}`, read }
}

export const boolean = (name: string, fallback: boolean, about: string): Setting<boolean> => {
  return { name, about, fallback, expected: '`true` or `false` (or `1`, `0`)', read: given => BOOLEANS.get(given.toLowerCase()) }
}

export const choice = <const T extends string>(
  name: string,
  values: readonly T[],
  fallback: NoInfer<T>,
  about: string,
): Setting<T> => {
  const expected = values.length === 1 ? `\`${values[0]}\`, the only value this release supports` : `one of: ${values.join(', ')}`
  return { name, about, fallback, expected, read: given => values.find(value => value.toLowerCase() === given.toLowerCase()) }
}

export const bytes = (name: string, fallback: string, [min, max]: [string, string], about: string): Setting<number> => {
  const expected = `a number of bytes such as \`1048576\` or \`64MiB\`, from ${min} to ${max}`
  const read = (given: string) => {
    const size = toBytes(given)
    return size >= toBytes(min) && size <= toBytes(max) ? size : undefined
  }
  return { name, about, fallback: toBytes(fallback), fallbackText: fallback, expected, read }
}

function toBytes(given: string): number {
  const match = /^(\d{1,12}(?:\.\d{1,3})?) ?([kmg]i?b|b)?$/i.exec(given)
  return match ? Math.floor(Number(match[1]) * (BYTES_OF_UNIT[(match[2] ?? '').toLowerCase()] ?? Number.NaN)) : Number.NaN
}

/** Upper limit of integers without a specific one. */
export const INTEGER_MAX = 2_147_483_647

/** Expands a leading `~`, because the environment of a container is not expanded by a shell. */
export const toPath = (given: string) => resolve(given.replace(/^~(?=$|[/\\])/, homedir()))
