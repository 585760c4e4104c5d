/** Behaviour shared by all commands: `--json`, examples in the help, group options, error output. */

import { addExamples } from '@postil/terminal/help'
import { closePrompts, PromptError } from '@postil/terminal/prompt'
import type { Command } from 'commander'
import { Failure } from './failure.ts'
import { createOutput, type Output } from './output.ts'

export interface CommandInput<O> {
  /** Options of the command, with those of its group as fallback. */
  options: O
  /** Operands, in the order given. */
  args: string[]
  out: Output
  /** Ends the command with a usage error (exit code 2). */
  misuse(message: string): never
}

/** Sets the action of a command and the examples in its help. */
export function setAction<O>(command: Command, examples: string[], run: (given: CommandInput<O>) => Promise<void>): void {
  command.option('--json', 'print JSON, for programs')
  addExamples(command, examples)
  command.action(async () => {
    // Commander options are untyped; each command declares its own type.
    const options = { ...command.parent?.opts(), ...command.opts() } as O & { json?: boolean }
    const out = createOutput({ json: options.json === true })
    const misuse = (message: string): never => command.error(`error: ${message}`)
    try {
      await run({ options, args: command.args, out, misuse })
    } catch (error) {
      if (!(error instanceof Failure || error instanceof PromptError)) throw error
      out.fail(error instanceof Failure ? error.title : 'Invalid parameters', error.message)
      process.exitCode = 1
    } finally {
      closePrompts()
    }
  })
}

/** Returns the value of a required option, or ends the command with a usage error. */
export function requireOption(given: CommandInput<unknown>, value: string | undefined, flags: string): string {
  return value ?? given.misuse(`required option '${flags}' not specified`)
}
