import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'

/** Dataset fixture for tests. */
export const aDataset = (given: Partial<DatasetWithIncludes> & { name: string }): DatasetWithIncludes => ({
  id: `id-${given.name}`,
  guidelines: null,
  allow_extra_metadata: true,
  status: 'ready',
  distribution: { strategy: 'overlap', min_submitted: 1 },
  metadata: null,
  workspace_id: 'w',
  last_activity_at: '2026-01-01T00:00:00.000000',
  inserted_at: '2026-01-01T00:00:00.000000',
  updated_at: '2026-01-01T00:00:00.000000',
  ...given,
})
