/** The `postil` program: arguments, help and exit codes (1: the command failed; 2: wrong options or arguments). */

import { makeGroup } from '@postil/terminal/help'
import { Command, CommanderError } from 'commander'
import { addCompletion } from './commands/completion.ts'
import { addDatasetCommands } from './commands/datasets.ts'
import { listServerCommands } from './commands/server.ts'
import { addSessionCommands, CLI_VERSION } from './commands/session.ts'
import { addUserCommands } from './commands/users.ts'
import { addWorkspaceCommands } from './commands/workspaces.ts'

export function buildProgram({ server }: { server: URL | null }): Command {
  const program = new Command('postil').description('Collect human feedback on data').version(CLI_VERSION, '--version')
  // Options before a command belong to its group, so that a group and a command can have options of the same name.
  program.enablePositionalOptions().exitOverride().showHelpAfterError('(add --help for options and examples)')
  makeGroup(program, ['login --api-url http://localhost:6900', 'datasets list', 'users --help'])
  addSessionCommands(program)
  addWorkspaceCommands(program)
  addDatasetCommands(program)
  addUserCommands(program)
  addCompletion(program, server)
  if (server !== null) listServerCommands(program)
  return program
}

/** Runs the command and sets the exit code of the process. Throws only on bugs. */
export async function runProgram(args: readonly string[], options: { server: URL | null }): Promise<void> {
  try {
    await buildProgram(options).parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode === 0 ? 0 : 2
  }
}
