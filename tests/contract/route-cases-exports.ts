/** Cases of exports to files. */
import type { Export } from '@postil/domain/exports'
import { aDataset, aRecord, SMALL } from './datasets.ts'
import { untilExported } from './exports-world.ts'
import type { World } from './http.ts'
import { MEMBER_ADMIN, type RouteCases } from './route-case.ts'
import { changeJobs } from './route-cases-jobs.ts'

async function aFilledDataset(world: World) {
  const dataset = await aDataset(world, SMALL)
  await aRecord(world, dataset)
  return dataset
}

async function anExport(world: World): Promise<Export> {
  const { id } = await aFilledDataset(world)
  const { id: exportId } = await world.owner.done<Export>(`POST /datasets/${id}/exports`, { format: 'jsonl' })
  return untilExported(world.owner, exportId)
}

/** Creates an export that does not run during the test. */
async function aWaitingExport(world: World): Promise<Export> {
  const ended = await anExport(world)
  const soon = new Date(Date.now() + 50_000).toISOString().slice(0, 23)
  await changeJobs(world, "update jobs set status = 'queued', run_at = ?, finished_at = null where id = ?", [soon, ended.id])
  return ended
}

const INVALID: RouteCases['invalid'] = [
  { body: {}, problems: [['missing', 'body', 'format']] },
  {
    body: {
      format: 'xls',
      columns: [],
      responses: { of: 'me', user_id: 1 },
      statuses: ['pending'],
      shape: 'square',
      question: 1,
    },
    problems: [
      ['enum', 'body', 'format'],
      ['too_short', 'body', 'columns'],
      ['enum', 'body', 'responses', 'of'],
      ['uuid_type', 'body', 'responses', 'user_id'],
      ['enum', 'body', 'statuses', 0],
      ['enum', 'body', 'shape'],
      ['string_type', 'body', 'question'],
    ],
  },
  {
    body: { format: 'csv', search: { filters: { and: [] } } },
    problems: [['too_short', 'body', 'search', 'filters', 'and']],
  },
]

export const exportCases: Record<string, RouteCases> = {
  createExport: {
    request: async world => ({ params: { dataset_id: (await aFilledDataset(world)).id }, body: { format: 'csv' } }),
    permission: MEMBER_ADMIN,
    invalid: INVALID,
  },
  streamExport: {
    request: async world => ({ params: { dataset_id: (await aFilledDataset(world)).id }, body: { format: 'csv' } }),
    permission: MEMBER_ADMIN,
    invalid: INVALID,
  },
  listExports: {
    request: async world => ({ params: { dataset_id: (await anExport(world)).dataset_id }, query: 'limit=1' }),
    permission: MEMBER_ADMIN,
    invalid: [
      { query: 'limit=0', problems: [['greater_than_equal', 'query', 'limit']] },
      {
        query: 'limit=101&before=',
        problems: [
          ['less_than_equal', 'query', 'limit'],
          ['string_too_short', 'query', 'before'],
        ],
      },
    ],
  },
  listExportColumns: {
    request: async world => ({ params: { dataset_id: (await aDataset(world, SMALL)).id }, query: 'responses=resolved' }),
    permission: MEMBER_ADMIN,
    invalid: [
      {
        query: 'responses=me&shape=square',
        problems: [
          ['enum', 'query', 'responses'],
          ['enum', 'query', 'shape'],
        ],
      },
    ],
  },
  getExport: {
    request: async world => ({ params: { export_id: (await anExport(world)).id } }),
    permission: MEMBER_ADMIN,
  },
  cancelExport: {
    request: async world => ({ params: { export_id: (await aWaitingExport(world)).id } }),
    permission: MEMBER_ADMIN,
  },
  downloadExport: {
    request: async world => ({ params: { export_id: (await anExport(world)).id } }),
    permission: MEMBER_ADMIN,
  },
}
