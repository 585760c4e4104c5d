/** Draft of a user's key bindings. They take effect when saved, and cannot be saved with a conflict. */
import {
  type Bindings,
  conflictingCommands,
  disturbsTyping,
  isReserved,
  keyPatternOf,
  overriddenCommands,
} from '../../shortcuts/bindings.ts'
import { toPattern } from '../../shortcuts/chords.ts'
import { COMMAND_IDS, type CommandId } from '../../shortcuts/defaults.ts'

type KeysOf = (id: CommandId) => readonly string[]

export const keysIn =
  (bindings: Bindings, defaults: KeysOf): KeysOf =>
  id =>
    bindings[id] ?? defaults(id)

/** Stores only keys that differ from the default, so that later changes to the defaults reach the user. */
export function withKeys(bindings: Bindings, id: CommandId, keys: readonly string[], defaults: KeysOf): Bindings {
  const { [id]: _before, ...others } = bindings
  const isDefault = keys.length === defaults(id).length && keys.every((key, place) => key === defaults(id)[place])
  return isDefault ? others : { ...others, [id]: [...keys] }
}

/** Other commands that use one of this command's keys. */
export interface SharedKey {
  id: CommandId
  chord: string
  others: CommandId[]
}

const listShared = (keysOf: KeysOf, find: typeof conflictingCommands): SharedKey[] =>
  COMMAND_IDS.flatMap(id =>
    keysOf(id).flatMap(chord => {
      const others = find(id, chord, keysOf)
      return others.length === 0 ? [] : [{ id, chord, others }]
    }),
  )

/** Lists ambiguous keys, which prevent saving. */
export const listConflicts = (keysOf: KeysOf): SharedKey[] => listShared(keysOf, conflictingCommands)

/** Lists keys that a focused part of the page takes from a command of the page: allowed, but shown as a warning. */
export const listHidden = (keysOf: KeysOf): SharedKey[] => listShared(keysOf, overriddenCommands)

/** Returns the chord for a pressed key, or the reason why this command cannot use it. */
export function readKey(
  id: CommandId,
  pressed: string,
): { chord: string } | { problem: 'reserved' | 'typing' | 'digit' | 'letter' } {
  const kind = keyPatternOf(id)
  const chord = kind === null ? pressed : toPattern(pressed, kind)
  if (chord === null) return { problem: kind === '0-9' ? 'digit' : 'letter' }
  if (isReserved(chord)) return { problem: 'reserved' }
  return disturbsTyping(id, chord) ? { problem: 'typing' } : { chord }
}

/** Applies the switch to custom keys of the command, too. */
export function withBackspace(bindings: Bindings, isOn: boolean): Bindings {
  const own = bindings['annotate.discard']
  if (own === undefined) return bindings
  const others = own.filter(key => key !== 'Backspace')
  return { ...bindings, 'annotate.discard': isOn ? [...others, 'Backspace'] : others }
}
