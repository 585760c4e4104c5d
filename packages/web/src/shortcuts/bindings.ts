/** Custom key bindings: valid keys, conflicts between commands, and the export file. */
import { isSingleLetter, matches, type PatternKind, patternKindOf } from './chords.ts'
import { COMMAND_IDS, COMMANDS, type CommandId } from './defaults.ts'
import { canConflict, overrides } from './places.ts'

export type Bindings = Record<string, string[]>

/** Keys of browsers and screen readers. Overriding them would lock users out. */
const RESERVED = new Set([
  ...['Tab', 'Shift+Tab', 'F1', 'F3', 'F5', 'F6', 'F7', 'F11', 'F12', 'CapsLock', 'Insert', 'ContextMenu', 'Shift+F10'],
  ...[...'cfghjlnopqrtuvwx'].map(letter => `Mod+${letter}`),
  ...[...'bcijnoprtw'].map(letter => `Mod+Shift+${letter}`),
  ...['Mod+Tab', 'Mod+Shift+Tab', 'Mod++', 'Mod+-', 'Alt+ArrowLeft', 'Alt+ArrowRight', 'Alt+F4', 'Alt+d'],
  // Browser tabs and menus.
  ...['Mod+0-9', 'Alt+0-9', 'Mod+a-z', 'Mod+Shift+a-z', 'Alt+a-z'],
])

/** Digits are reserved for picking options, on any part of the keyboard. */
export const isReserved = (chord: string) => RESERVED.has(chord) || /^(?:(?:Mod|Alt|Shift)\+)*\d$/.test(chord)

/**
 * Returns the key pattern of a command such as *pick option by number*. Its digits are fixed, but its modifiers can be changed.
 */
export function keyPatternOf(id: CommandId): PatternKind | null {
  const keys: readonly string[] = COMMANDS[id].keys
  return keys[0] === undefined ? null : patternKindOf(keys[0])
}

const TYPED = new Set(['Space', 'Backspace', 'Delete', 'ArrowLeft', 'ArrowRight', 'Home', 'End'])

/** True if the key types text or moves the caret and the command also works in text inputs, where it would block typing. */
export const disturbsTyping = (id: CommandId, chord: string): boolean => {
  const { inText }: { inText?: boolean } = COMMANDS[id]
  return inText === true && (isSingleLetter(chord) || TYPED.has(chord) || /^Shift\+\p{L}$/u.test(chord))
}

/**
 * `0-9` does not conflict with a single digit such as `0`, because its command passes on digits that do not start an option
 * number. `a-z` conflicts with every letter.
 */
const isSameKey = (one: string, other: string) =>
  one === other || [one, other].some(key => patternKindOf(key) === 'a-z' && matches(key, key === one ? other : one))

type KeysOf = (id: CommandId) => readonly string[]

const othersWith = (id: CommandId, chord: string, keysOf: KeysOf): CommandId[] =>
  COMMAND_IDS.filter(other => other !== id && keysOf(other).some(key => isSameKey(key, chord)))

/** Other commands with this chord that can be active in the same place as `id`. */
export const conflictingCommands = (id: CommandId, chord: string, keysOf: KeysOf): CommandId[] =>
  othersWith(id, chord, keysOf).filter(other => canConflict(COMMANDS[id], COMMANDS[other]))

/** Page commands that this chord overrides while the part of `id` has the focus; empty for default keys. */
export function overriddenCommands(id: CommandId, chord: string, keysOf: KeysOf): CommandId[] {
  const defaults: readonly string[] = COMMANDS[id].keys
  if (defaults.includes(chord)) return []
  return othersWith(id, chord, keysOf).filter(other => overrides(COMMANDS[id], COMMANDS[other]))
}

const FORMAT = 'postil-keys'

export const toFile = (bindings: Bindings): string => `${JSON.stringify({ format: FORMAT, bindings }, null, 2)}\n`

/** Parses a key bindings file and drops unknown or reserved entries. Returns null if it is not a key bindings file. */
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
  if (isReserved(chord) || disturbsTyping(id, chord) || patternKindOf(chord) !== keyPatternOf(id)) return false
  return patternKindOf(chord) !== null || CHORD.test(chord)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
