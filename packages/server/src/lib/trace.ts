/** What the log says about an error in the work on records: where it happened, without its message, which may quote a record. */
export function toTrace(error: unknown): { type: string; code?: unknown; at?: string[] } {
  if (!(error instanceof Error)) return { type: typeof error }
  const frames = (error.stack ?? '').split('\n').filter(line => line.startsWith('    at '))
  return { type: error.name, code: (error as NodeJS.ErrnoException).code, at: frames.map(frame => frame.slice('    at '.length)) }
}
