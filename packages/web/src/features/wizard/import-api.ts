/** API calls that imports need. */
import type { Import, ImportRequest, ImportSource, Preview } from '@postil/domain/imports'
import type { Api } from '../../api.ts'
import { SERVER_URL } from '../../server-address.ts'

export interface ImportApi {
  preview(uploadId: string, source: ImportSource | null, signal: AbortSignal): Promise<Preview>
  create(datasetId: string, body: ImportRequest, signal: AbortSignal): Promise<Import>
  get(importId: string, signal: AbortSignal): Promise<Import>
  cancel(importId: string): Promise<Import>
  /** Newest first. */
  list(datasetId: string, signal?: AbortSignal): Promise<Import[]>
}

const ROWS = 50

export const importApiOf = (api: Api): ImportApi => ({
  preview: (upload_id, source, signal) =>
    api.previewUpload({ params: { upload_id }, body: { rows: ROWS, ...(source ? { source } : {}) } }, { signal }),
  create: (dataset_id, body, signal) => api.createImport({ params: { dataset_id }, body }, { signal }),
  get: (import_id, signal) => api.getImport({ params: { import_id } }, { signal }),
  cancel: import_id => api.cancelImport({ params: { import_id } }),
  list: async (dataset_id, signal) =>
    (await api.listImports({ params: { dataset_id }, query: { limit: 20 } }, signal ? { signal } : {})).items,
})

export const hasEnded = ({ status }: Pick<Import, 'status'>) =>
  status === 'finished' || status === 'failed' || status === 'canceled' || status === 'stopped'

/** Downloaded by a link, so that the browser streams it to disk. */
export const rejectsUrl = (importId: string) => `${SERVER_URL}/api/v1/imports/${encodeURIComponent(importId)}/rejects`
