/** Undo step for a job on the server: undoes the job, then undoes the undo, and so on. */
import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { Step } from '../../form/undo-stack.ts'
import type { Jobs } from './jobs.ts'

/**
 * `begun`: the id of the job, or null if it could not be started. Undo and redo wait for each other. If the undo could not be
 * started, *redo* does nothing.
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
