import type { JobStatus } from '@postil/domain/jobs'
import type { Notice } from '../events/emit.ts'

/** Builds the notice for pages that have the job's dataset open; null if the payload has no dataset. */
export function toJobNotice({ id, payload }: { id: string; payload: unknown }, status: JobStatus): Notice | null {
  const { dataset_id, user_id = null } = payload as { dataset_id?: string; user_id?: string | null }
  return dataset_id === undefined ? null : { name: 'job', dataset_id, user_id, data: { id, status } }
}
