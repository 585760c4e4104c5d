/** Cases of the routes for bulk jobs, for the caller's own responses and for reading those of others. */
import type { BulkJob } from '@postil/domain/bulk-jobs'
import { aDataset, aRecord, SMALL, submitted } from './datasets.ts'
import type { Caller, World } from './http.ts'
import { MEMBER, MEMBER_ADMIN, type RouteCases } from './route-case.ts'

const ACTION = { type: 'respond', ...submitted() }

async function aDatasetWithRecord(world: World) {
  const dataset = await aDataset(world, SMALL)
  const record = await aRecord(world, dataset)
  return { dataset, record }
}

export const aBulkJob = async (world: World, by: Caller = world.owner): Promise<BulkJob> => {
  const { dataset } = await aDatasetWithRecord(world)
  const body = { query: {}, action: ACTION, expected_total: 1 }
  return by.done<BulkJob>(`POST /me/datasets/${dataset.id}/responses/by-filter`, body)
}

/** A job is only visible to its owner; for others it does not exist. */
const ofOwnJob: RouteCases = {
  request: async world => ({ params: { job_id: (await aBulkJob(world)).id } }),
  missing: ['job_id'],
}

export const bulkJobCases: Record<string, RouteCases> = {
  createBulkJob: {
    request: async world => {
      const { dataset } = await aDatasetWithRecord(world)
      return { params: { dataset_id: dataset.id }, body: { query: {}, action: ACTION, expected_total: 1 } }
    },
    permission: MEMBER,
    invalid: [
      {
        body: { query: {} },
        problems: [
          ['missing', 'body', 'action'],
          ['missing', 'body', 'expected_total'],
        ],
      },
      { body: { action: ACTION, expected_total: 1 }, problems: [['value_error', 'body']] },
      {
        body: { query: {}, action: { type: 'burn' }, expected_total: 1 },
        problems: [['union_tag_invalid', 'body', 'action']],
      },
      {
        body: { query: {}, action: { type: 'accept_suggestions', status: 'draft', questions: [] }, expected_total: 1 },
        problems: [['too_short', 'body', 'action', 'accept_suggestions', 'questions']],
      },
      {
        body: { record_ids: ['x'], action: ACTION, expected_total: 0, response_status: 'missing' },
        problems: [
          ['enum', 'body', 'response_status'],
          ['uuid_parsing', 'body', 'record_ids', 0],
          ['greater_than_equal', 'body', 'expected_total'],
        ],
      },
    ],
  },
  listBulkJobs: {
    request: async world => ({ params: { dataset_id: (await aBulkJob(world)).dataset_id } }),
    permission: MEMBER,
  },
  getBulkJob: ofOwnJob,
  cancelBulkJob: ofOwnJob,
  undoBulkJob: {
    ...ofOwnJob,
    request: async world => {
      const { id } = await aBulkJob(world)
      await world.owner.done(`POST /me/bulk-jobs/${id}/cancel`)
      return { params: { job_id: id } }
    },
  },
  listMyResponseHistory: {
    request: async world => {
      const { record } = await aDatasetWithRecord(world)
      const items = (status: string) => ({ items: [{ record_id: record.id, ...submitted(), status }] })
      for (const status of ['submitted', 'draft']) await world.owner.done('POST /me/responses/bulk', items(status))
      return { params: { record_id: record.id } }
    },
    permission: MEMBER,
  },
  getResponseOfUser: {
    request: async world => {
      const { record } = await aDatasetWithRecord(world)
      await world.owner.done(`POST /records/${record.id}/responses`, submitted())
      return { params: { record_id: record.id, user_id: world.owner.id } }
    },
    permission: MEMBER_ADMIN,
  },
  listMyRecentResponses: {
    request: async world => {
      const { dataset, record } = await aDatasetWithRecord(world)
      await world.owner.done(`POST /records/${record.id}/responses`, submitted())
      return { params: { dataset_id: dataset.id } }
    },
    permission: MEMBER,
    invalid: [
      { query: 'limit=0', problems: [['greater_than_equal', 'query', 'limit']] },
      { query: 'limit=51', problems: [['less_than_equal', 'query', 'limit']] },
    ],
  },
}
