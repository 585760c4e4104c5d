/** Changing keys: what may be a key, which commands would share one, and the file people keep their keys in. */
import { isSingleLetter, matches, type PatternKind, patternKindOf } from './chords.ts'
import { COMMAND_IDS, COMMANDS, type CommandId } from './defaults.ts'
import { canMeet, isOutside } from './places.ts'

export type Bindings = Record<string, string[]>

/** The browser's and the screen reader's own; taking them away would lock people out. */
const RESERVED = new Set([
  ...['Tab', 'Shift+Tab', 'F1', 'F3', 'F5', 'F6', 'F7', 'F11', 'F12', 'CapsLock', 'Insert', 'ContextMenu', 'Shift+F10'],
  ...[...'cfghjlnopqrtuvwx'].map(letter => `Mod+${letter}`),
  ...[...'bcijnoprtw'].map(letter => `Mod+Shift+${letter}`),
  ...['Mod+Tab', 'Mod+Shift+Tab', 'Mod++', 'Mod+-', 'Alt+ArrowLeft', 'Alt+ArrowRight', 'Alt+F4', 'Alt+d'],
  // Tabs of the browser, its menus.
  ...['Mod+0-9', 'Alt+0-9', 'Mod+a-z', 'Mod+Shift+a-z', 'Alt+a-z'],
])

/** Digits pick options, wherever they stand on the keyboard. */
export const isReserved = (chord: string) => RESERVED.has(chord) || /^(?:(?:Mod|Alt|Shift)\+)*\d$/.test(chord)

/** A command whose keys stand for many, such as *pick option by number*, keeps the digits; what is held with them can change. */
export function kindOfKeys(id: CommandId): PatternKind | null {
  const keys: readonly string[] = COMMANDS[id].keys
  return keys[0] === undefined ? null : patternKindOf(keys[0])
}

const TYPED = new Set(['Space', 'Backspace', 'Delete', 'ArrowLeft', 'ArrowRight', 'Home', 'End'])

/** The key writes or moves the caret, and the command would take it away from somebody who types. */
export const disturbsTyping = (id: CommandId, chord: string): boolean => {
  const { inText }: { inText?: boolean } = COMMANDS[id]
  return inText === true && (isSingleLetter(chord) || TYPED.has(chord) || /^Shift\+\p{L}$/u.test(chord))
}

/** Digits that begin no number are left to others, so `0` and `0-9` live together; letters are all taken. */
const isSameKey = (one: string, other: string) =>
  one === other || [one, other].some(key => patternKindOf(key) === 'a-z' && matches(key, key === one ? other : one))

type KeysOf = (id: CommandId) => readonly string[]

const othersWith = (id: CommandId, chord: string, keysOf: KeysOf): CommandId[] =>
  COMMAND_IDS.filter(other => other !== id && keysOf(other).some(key => isSameKey(key, chord)))

/** Commands that answer to this chord besides `id`, where both could. */
export const conflictsWith = (id: CommandId, chord: string, keysOf: KeysOf): CommandId[] =>
  othersWith(id, chord, keysOf).filter(other => canMeet(COMMANDS[id], COMMANDS[other]))

/** Commands of the page that wait while the part with this key has the focus; none for keys that have always been so. */
export function hiddenBy(id: CommandId, chord: string, keysOf: KeysOf): CommandId[] {
  const defaults: readonly string[] = COMMANDS[id].keys
  if (defaults.includes(chord)) return []
  return othersWith(id, chord, keysOf).filter(other => isOutside(COMMANDS[id], COMMANDS[other]))
}

const FORMAT = 'postil-keys'

export const toFile = (bindings: Bindings): string => `${JSON.stringify({ format: FORMAT, bindings }, null, 2)}\n`

/** What a file of keys says, without what is not known or not allowed here; null when it is no such file. */
export function fromFile(text: string): Bindings | null {
  const content = parse(text)
  if (!isObject(content) || content.format !== FORMAT || !isObject(content.bindings)) return null
  const given = content.bindings
  const kept = COMMAND_IDS.flatMap(id => {
    const keys = given[id]
    return Array.isArray(keys) && keys.every(key => isAllowed(id, key)) ? [[id, keys] as const] : []
  })
  return Object.fromEntries(kept)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const CHORD = /^(?:(?:Mod|Ctrl|Alt|Shift)\+)*(?:\S|[A-Za-z][A-Za-z0-9]+)$/u

function isAllowed(id: CommandId, chord: unknown): boolean {
  if (typeof chord !== 'string') return false
  const defaults: readonly string[] = COMMANDS[id].keys
  if (defaults.includes(chord)) return true
  if (isReserved(chord) || disturbsTyping(id, chord) || patternKindOf(chord) !== kindOfKeys(id)) return false
  return patternKindOf(chord) !== null || CHORD.test(chord)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
