/** Complete bodies of the routes for imports, exports and the hub. */
import type { BuiltDataset } from '../datasets.ts'
import { NO_ID } from '../http.ts'
import type { FullBody } from './full-bodies.ts'

/** They refer to things that do not exist, so that none of them starts a job. */
export function exchangeBodies(dataset: BuiltDataset, search: object): FullBody[] {
  const params = { dataset_id: dataset.id }
  const item = { source: 'column', target: 'no target' }
  const mapping = { fields: [item], metadata: [item], suggestions: [item], external_id: 'key' }
  const exportBody = {
    format: 'conll',
    columns: ['no column'],
    responses: { of: 'user', user_id: NO_ID },
    statuses: ['submitted'],
    shape: 'long',
    search,
    question: 'no question',
  }
  return [
    { id: 'importFromHub', params, body: { name: 'team/data', subset: 'default', split: 'train', mapping } },
    { id: 'exportToHub', params, body: { name: 'team/data', subset: 'a/b', split: 'a/b', private: true, token: 'hf_test' } },
    { id: 'createExport', params, body: exportBody },
    { id: 'streamExport', params, body: exportBody },
    { id: 'createUpload', body: { name: 'a/b', size: 1 } },
    ...importBodies(params),
  ]
}

/** Bodies for an upload that does not exist. */
function importBodies(params: { dataset_id: string }): FullBody[] {
  const upload_id = '0190b9d0-0000-7000-8000-00000000abcf'
  const source = { format: 'csv', encoding: 'utf-8', separator: ',', quote: '"', header: true, sheet: 'One', path: 'rows' }
  const item = { source: 'column', target: 'text' }
  const suggestion = { target: 'mood', value: 'column', score: 'score', agent: 'agent', agent_name: 'model-1' }
  const response = { target: 'mood', value: 'column', user: 'name', status: 'draft' }
  const mapping = {
    external_id: 'key',
    fields: [item],
    metadata: [item],
    vectors: [item],
    suggestions: [suggestion],
    responses: [response],
  }
  return [
    { id: 'previewUpload', params: { upload_id }, body: { source, rows: 20 } },
    {
      id: 'createImport',
      params,
      body: { upload_id, source, mapping, dry_run: true, on_conflict: 'skip', stop_after_rejects: 5 },
    },
  ]
}
