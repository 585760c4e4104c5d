import type { JobStatus } from '@postil/domain/jobs'
import type { Notice } from '../events/emit.ts'

/** What those who have the job's dataset open are told; null if the job does not name a dataset. */
export function toJobNotice({ id, payload }: { id: string; payload: unknown }, status: JobStatus): Notice | null {
  const { dataset_id, user_id = null } = payload as { dataset_id?: string; user_id?: string | null }
  return dataset_id === undefined ? null : { name: 'job', dataset_id, user_id, data: { id, status } }
}
