/** Changing keys: what may be a key, which commands would share one, and the file people keep their keys in. */
import { COMMAND_IDS, COMMANDS, type CommandId } from './defaults.ts'

export type Bindings = Record<string, string[]>

/** The browser's and the screen reader's own; taking them away would lock people out. */
const RESERVED = new Set([
  ...['Tab', 'Shift+Tab', 'F1', 'F3', 'F5', 'F6', 'F7', 'F11', 'F12', 'CapsLock', 'Insert', 'ContextMenu', 'Shift+F10'],
  ...[...'cfghjlnopqrtuvwx'].map(letter => `Mod+${letter}`),
  ...[...'bcijnoprtw'].map(letter => `Mod+Shift+${letter}`),
  ...['Mod+Tab', 'Mod+Shift+Tab', 'Mod++', 'Mod+-', 'Alt+ArrowLeft', 'Alt+ArrowRight', 'Alt+F4', 'Alt+d'],
  // The span text and the lists of questions move with them.
  ...['ArrowUp', 'ArrowDown'],
])

/** Digits pick options, wherever they stand on the keyboard. */
export const isReserved = (chord: string) => RESERVED.has(chord) || /^(?:(?:Mod|Alt|Shift)\+)*\d$/.test(chord)

/** Stands for many keys, so it cannot be changed into one. */
export const isPattern = (chord: string) => /(?:^|\+)(?:0-9|a-z)$/.test(chord)

const placeOf = (id: string) => id.split('.')[0]

/** Whether two commands can be on screen together. */
export function canMeet(one: string, other: string): boolean {
  const [a, b] = [placeOf(one), placeOf(other)]
  return a === 'shell' || b === 'shell' || (a === 'home') === (b === 'home')
}

/** Commands that answer to this chord besides `id`, wherever both are on screen. */
export const conflictsWith = (id: CommandId, chord: string, keysOf: (id: CommandId) => readonly string[]): CommandId[] =>
  COMMAND_IDS.filter(other => other !== id && canMeet(id, other) && keysOf(other).includes(chord))

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
  return defaults.includes(chord) || (CHORD.test(chord) && !isReserved(chord))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
