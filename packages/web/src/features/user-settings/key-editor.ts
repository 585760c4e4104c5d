/** A person's keys while they are being changed: nothing counts before it is saved, and nothing is saved with a conflict. */
import { type Bindings, conflictsWith } from '../../shortcuts/bindings.ts'
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

export interface Conflict {
  id: CommandId
  chord: string
  others: CommandId[]
}

export const listConflicts = (keysOf: KeysOf): Conflict[] =>
  COMMAND_IDS.flatMap(id =>
    keysOf(id).flatMap(chord => {
      const others = conflictsWith(id, chord, keysOf)
      return others.length === 0 ? [] : [{ id, chord, others }]
    }),
  )

/** Keys set by hand keep up with the switch, too. */
export function withBackspace(bindings: Bindings, isOn: boolean): Bindings {
  const own = bindings['annotate.discard']
  if (own === undefined) return bindings
  const others = own.filter(key => key !== 'Backspace')
  return { ...bindings, 'annotate.discard': isOn ? [...others, 'Backspace'] : others }
}
