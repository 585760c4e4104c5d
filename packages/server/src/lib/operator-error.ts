/** A failure that the operator can do something about. The command line prints its message alone, without a stack. */
export class OperatorError extends Error {}
