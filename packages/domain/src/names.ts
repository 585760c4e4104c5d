/**
 * Rule for names of users and workspaces: NFC, visible characters only, no outer white space.
 *
 * Applies to new names only, so that users and workspaces from before it keep working. Zero-width joiners are refused too, although
 * some scripts use them between letters: people type these names to sign in and in commands, and would not find out why a name
 * without the joiner is another one. Texts of labels may contain them (questions/options.ts).
 */
import { invalid, type Path } from './errors.ts'

const OF_NO_SHAPE = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\u115f\\u1160\\u2800\\u3164\\uffa0'
const INVISIBLE = new RegExp(`[${OF_NO_SHAPE}]`, 'u')
const ALL_INVISIBLE = new RegExp(INVISIBLE, 'gu')
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u

export type NameProblem = { kind: 'outer_space' | 'nothing_visible' } | { kind: 'invisible'; char: string; position: number }

/** Returns what is wrong with a new name, or null. */
export function findNameProblem(name: string): NameProblem | null {
  const found = INVISIBLE.exec(name)
  if (found) return { kind: 'invisible', char: found[0], position: [...name.slice(0, found.index)].length + 1 }
  if (name.trim() !== name) return { kind: 'outer_space' }
  return VISIBLE.test(name) ? null : { kind: 'nothing_visible' }
}

/** Returns a new name as it is stored, or throws what is wrong with it. */
export function toNewName(name: string, at: Path): string {
  const problem = findNameProblem(name)
  if (problem !== null) throw invalid(describe(problem), at)
  return name.normalize('NFC')
}

/** Removes what the rule refuses, for names that come from another program. Returns null if nothing remains. */
export function toVisibleName(name: string): string | null {
  const visible = name.normalize('NFC').replaceAll(ALL_INVISIBLE, '').trim()
  return findNameProblem(visible) === null ? visible : null
}

const TEXTS = {
  outer_space: 'A name cannot begin or end with white space',
  nothing_visible: 'A name needs a visible character',
}

function describe(problem: NameProblem): string {
  if (problem.kind !== 'invisible') return TEXTS[problem.kind]
  const code = (problem.char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  return `A name cannot contain invisible characters: the character at position ${problem.position} is U+${code}`
}

/** Tells that a new name could be mistaken for an existing one. */
export const looksLike = (name: string, existing: string): string =>
  `The name \`${name}\` looks like the existing name \`${existing}\`. Choose one that people can tell apart`
