/** A person's keys while they are being changed: nothing counts before it is saved, and nothing is saved with a conflict. */
import { type Bindings, conflictsWith, disturbsTyping, hiddenBy, isReserved, kindOfKeys } from '../../shortcuts/bindings.ts'
import { toPattern } from '../../shortcuts/chords.ts'
import { COMMAND_IDS, type CommandId } from '../../shortcuts/defaults.ts'

type KeysOf = (id: CommandId) => readonly string[]

export const keysIn =
  (bindings: Bindings, defaults: KeysOf): KeysOf =>
  id =>
    bindings[id] ?? defaults(id)

/** Only what differs from the default is kept, so that better defaults reach people later. */
export function withKeys(bindings: Bindings, id: CommandId, keys: readonly string[], defaults: KeysOf): Bindings {
  const { [id]: _before, ...others } = bindings
  const isDefault = keys.length === defaults(id).length && keys.every((key, place) => key === defaults(id)[place])
  return isDefault ? others : { ...others, [id]: [...keys] }
}

/** Others that have a key of this command. */
export interface SharedKey {
  id: CommandId
  chord: string
  others: CommandId[]
}

const listShared = (keysOf: KeysOf, find: typeof conflictsWith): SharedKey[] =>
  COMMAND_IDS.flatMap(id =>
    keysOf(id).flatMap(chord => {
      const others = find(id, chord, keysOf)
      return others.length === 0 ? [] : [{ id, chord, others }]
    }),
  )

/** Nobody could tell which one is meant: not saved like this. */
export const listConflicts = (keysOf: KeysOf): SharedKey[] => listShared(keysOf, conflictsWith)

/** The inner one gets the key while its part has the focus: allowed, but worth saying. */
export const listHidden = (keysOf: KeysOf): SharedKey[] => listShared(keysOf, hiddenBy)

/** The chord that a pressed key stands for, or why this command cannot have it. */
export function readKey(
  id: CommandId,
  pressed: string,
): { chord: string } | { problem: 'reserved' | 'typing' | 'digit' | 'letter' } {
  const kind = kindOfKeys(id)
  const chord = kind === null ? pressed : toPattern(pressed, kind)
  if (chord === null) return { problem: kind === '0-9' ? 'digit' : 'letter' }
  if (isReserved(chord)) return { problem: 'reserved' }
  return disturbsTyping(id, chord) ? { problem: 'typing' } : { chord }
}

/** Keys set by hand keep up with the switch, too. */
export function withBackspace(bindings: Bindings, isOn: boolean): Bindings {
  const own = bindings['annotate.discard']
  if (own === undefined) return bindings
  const others = own.filter(key => key !== 'Backspace')
  return { ...bindings, 'annotate.discard': isOn ? [...others, 'Backspace'] : others }
}
