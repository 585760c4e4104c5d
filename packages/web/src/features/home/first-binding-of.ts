import { bindingsOf } from '../../shortcuts/commands.ts'
import { type CommandId, define } from '../../shortcuts/defaults.ts'

/**
 * Returns the first key binding of a command even if the command is currently inactive, so that an open dialog does not change
 * the hints on the page below.
 */
export const firstBindingOf = (id: CommandId): string | undefined => bindingsOf(define(id, () => {}))[0]
