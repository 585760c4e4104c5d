import { bindingsOf } from '../../shortcuts/commands.ts'
import { type CommandId, define } from '../../shortcuts/defaults.ts'

/** The first key of a command, whether or not it can be pressed now: a dialog over the page must not change the page. */
export const chordOf = (id: CommandId): string | undefined => bindingsOf(define(id, () => {}))[0]
