/** A failure that the operator can fix. The command line prints only its message, without a stack trace. */
export class OperatorError extends Error {}
