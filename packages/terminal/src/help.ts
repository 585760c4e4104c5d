/** Help of commands: examples, and groups that print their help. */
import type { Command } from 'commander'

export function addExamples(command: Command, examples: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${examples.map(example => `  postil ${example}`).join('\n')}`)
}

/** Makes a group print its help if no subcommand is given. */
export function makeGroup(group: Command, examples: readonly string[]): Command {
  addExamples(group, examples)
  return group.allowExcessArguments().action(() => {
    const [unknown] = group.args
    if (unknown === undefined) return group.outputHelp()
    const names = group.commands.map(command => command.name()).join(', ')
    return group.error(`error: unknown command '${unknown}'. Commands: ${names}`)
  })
}
