/** The way back from a job of the server, and forth again: undoes it, then undoes the undo, and so on. */
import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { Step } from '../undo-stack.ts'
import type { Jobs } from './jobs.ts'

/**
 * `begun`: the id of the job, null when it could not be begun. One turn waits for the other. What could not be undone is not
 * done a second time by *redo*.
 */
export function openJobStep(
  begun: Promise<string | null>,
  jobs: Pick<Jobs, 'beginUndo'>,
  onTurned: (job: BulkJob) => void,
): Step {
  let last = begun
  let isDone = true

  async function turn(id: string | null, isWanted: boolean): Promise<string | null> {
    if (id === null || isDone === isWanted) return id
    const undo = await jobs.beginUndo(id)
    if (!undo) return id
    isDone = isWanted
    const job = await undo.ended
    if (job) onTurned(job)
    return undo.id
  }
  const plan = (isWanted: boolean) => () => {
    last = last.then(id => turn(id, isWanted))
  }
  return { undo: plan(false), redo: plan(true) }
}
