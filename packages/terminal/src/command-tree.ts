import type { Command } from 'commander'

/** Description of a command, for the reference and for shell completion. */
export interface CommandTree {
  name: string
  description: string
  /** For example `<name> [option]`. */
  operands: string
  options: { flags: string; long: string; description: string }[]
  commands: CommandTree[]
}

/** Omits commands and options that are hidden in the help. */
export function describeCommands(command: Command): CommandTree {
  const help = command.createHelp()
  const name = command.name()
  return {
    name,
    description: command.description(),
    operands: command.registeredArguments.map(one => (one.required ? `<${one.name()}>` : `[${one.name()}]`)).join(' '),
    options: help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map(({ flags, long, description }) => ({ flags, long: long ?? flags, description })),
    commands: help
      .visibleCommands(command)
      .filter(child => child.name() !== 'help')
      .map(describeCommands),
  }
}
