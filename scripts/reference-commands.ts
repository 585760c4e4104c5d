/** Generates the commands of `postil` for docs/reference/commands.md. */
import { buildProgram as buildServerProgram } from '@postil/server/cli/main'
import { type CommandTree, describeCommands } from '@postil/terminal/command-tree'
import { buildProgram } from '../packages/cli/src/program.ts'
import { toMarkdownTable } from './reference-table.ts'

/** Groups of commands first, then those of the server group. */
export function commandSections(): string[] {
  const program = describeCommands(buildProgram({ server: null }))
  const server = describeCommands(buildServerProgram(() => Promise.resolve())).commands.filter(({ name }) => name === 'server')
  return [...program.commands, ...server].flatMap(command => sectionsOf(command, 'postil'))
}

function sectionsOf(command: CommandTree, parent: string): string[] {
  const path = `${parent} ${command.name}`
  const operands = command.operands === '' ? '' : ` ${command.operands}`
  const options = command.options.map(({ flags, description }) => [`\`${flags}\``, description])
  return [
    `## ${path}${operands}`,
    `${command.description}.`,
    ...(options.length === 0 ? [] : [toMarkdownTable(['Option', 'What it does'], options)]),
    ...command.commands.flatMap(child => sectionsOf(child, path)),
  ]
}
