/** Letters of labels that conflict with each other or with a command. */
import { COMMAND_IDS, COMMANDS, type CommandId } from '../../shortcuts/defaults.ts'

type Letters = Readonly<Record<string, string>>

/** Returns letters that several labels share. The form prevents this, but other clients may write such settings. */
export function duplicateLetters(letters: Letters): string[] {
  const all = Object.values(letters).map(letter => letter.toLowerCase())
  return [...new Set(all.filter((letter, at) => all.indexOf(letter) !== at))].sort()
}

export interface Shadow {
  letter: string
  command: CommandId
}

const isAtWork = (id: CommandId) => id.startsWith('annotate.')

/** Returns the commands of the annotation page whose keys are overridden while one of the options has the focus. */
export function shadowedCommands(letters: Letters): Shadow[] {
  const given = [...new Set(Object.values(letters).map(letter => letter.toLowerCase()))].sort()
  return given.flatMap(letter =>
    COMMAND_IDS.filter(id => isAtWork(id) && COMMANDS[id].keys.some(key => key === letter)).map(command => ({ letter, command })),
  )
}
