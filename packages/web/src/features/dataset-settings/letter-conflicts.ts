/** Letters of labels that stand in each other's way, or in the way of a command. */
import { COMMAND_IDS, COMMANDS, type CommandId } from '../../shortcuts/defaults.ts'

type Letters = Readonly<Record<string, string>>

/** Letters that more than one label has. The form gives each once; other clients write what they like. */
export function doubledLetters(letters: Letters): string[] {
  const all = Object.values(letters).map(letter => letter.toLowerCase())
  return [...new Set(all.filter((letter, at) => all.indexOf(letter) !== at))].sort()
}

export interface Shadow {
  letter: string
  command: CommandId
}

const isAtWork = (id: CommandId) => id.startsWith('annotate.')

/** Commands of the annotation page that wait while one of the options has the focus. */
export function shadowedCommands(letters: Letters): Shadow[] {
  const given = [...new Set(Object.values(letters).map(letter => letter.toLowerCase()))].sort()
  return given.flatMap(letter =>
    COMMAND_IDS.filter(id => isAtWork(id) && COMMANDS[id].keys.some(key => key === letter)).map(command => ({ letter, command })),
  )
}
