import type { MessageKey } from '../i18n/i18n.ts'
import { isSingleLetter } from '../shortcuts/chords.ts'
import { bindingsOf, type Command } from '../shortcuts/commands.ts'

export interface SheetGroup {
  title: MessageKey
  rows: (Pick<Command, 'id' | 'title' | 'titleValues'> & { chords: string[] })[]
}

/**
 * Groups commands with keys by heading. Of two commands with the same id, the innermost is listed, because it handles the key.
 */
export function groupKeys(commands: readonly Command[], { singleLetterKeys }: { singleLetterKeys: boolean }): SheetGroup[] {
  const byId = new Map(commands.toReversed().map(command => [command.id, command]))
  const inner = commands.filter(command => byId.get(command.id) === command)
  const groups = new Map<MessageKey, SheetGroup>()
  for (const command of inner) {
    const chords = bindingsOf(command).filter(chord => singleLetterKeys || !isSingleLetter(chord))
    if (chords.length === 0) continue
    const group = groups.get(command.group) ?? { title: command.group, rows: [] }
    group.rows.push({
      id: command.id,
      title: command.title,
      chords,
      ...(command.titleValues && { titleValues: command.titleValues }),
    })
    groups.set(command.group, group)
  }
  return [...groups.values()]
}
