import { DATASET_INCLUDES } from '@postil/domain/dataset-includes'
import { aDataset, SMALL, SMALL_DRAFT } from './datasets.ts'
import { fresh, type World } from './http.ts'
import { EVERYBODY, MEMBER, MEMBER_ADMIN, type RouteCases } from './route-case.ts'

const ofDataset = async (world: World) => ({ params: { dataset_id: (await aDataset(world, SMALL)).id } })
const ofDraft = async (world: World) => ({ params: { dataset_id: (await aDataset(world, SMALL_DRAFT)).id } })

const listDatasets: RouteCases = {
  request: async world => {
    await aDataset(world, SMALL_DRAFT)
    return { query: `status=draft&name=&include=${DATASET_INCLUDES.join()}` }
  },
  permission: EVERYBODY,
  invalid: [
    { query: 'status=open', problems: [['enum', 'query', 'status']] },
    { query: 'workspace_id=x', problems: [['uuid_parsing', 'query', 'workspace_id']] },
    { query: 'include=fields,records', problems: [['value_error', 'query', 'include']] },
  ],
}

export const datasetCases: Record<string, RouteCases> = {
  listMyDatasets: listDatasets,
  listDatasets,
  createDataset: {
    request: ({ workspaceId }) => ({ body: { name: fresh('dataset'), workspace_id: workspaceId } }),
    permission: { admin: 'M', annotator: '-' },
    invalid: [
      {
        body: { name: '', guidelines: '', allow_extra_metadata: null, distribution: null, metadata: [], workspace_id: 'x' },
        problems: [
          ['string_too_short', 'body', 'name'],
          ['string_too_short', 'body', 'guidelines'],
          ['bool_type', 'body', 'allow_extra_metadata'],
          ['model_attributes_type', 'body', 'distribution'],
          ['dict_type', 'body', 'metadata'],
          ['uuid_parsing', 'body', 'workspace_id'],
        ],
      },
      {
        body: { name: 'x'.repeat(201), guidelines: 'x'.repeat(10_001), distribution: { min_submitted: 0 } },
        problems: [
          ['string_too_long', 'body', 'name'],
          ['string_too_long', 'body', 'guidelines'],
          ['missing', 'body', 'distribution', 'strategy'],
          ['greater_than_equal', 'body', 'distribution', 'min_submitted'],
          ['missing', 'body', 'workspace_id'],
        ],
      },
    ],
  },
  getDataset: {
    request: async world => ({ ...(await ofDataset(world)), query: `include=fields&include=${DATASET_INCLUDES.join()}` }),
    permission: MEMBER,
    invalid: [
      { query: 'include=', problems: [['string_too_short', 'query', 'include', 0]] },
      { query: 'include=fields,', problems: [['value_error', 'query', 'include']] },
      { query: 'include=fields:a', problems: [['value_error', 'query', 'include']] },
      { query: 'include=pace&utc_offset=841', problems: [['less_than_equal', 'query', 'utc_offset']] },
      { query: 'include=pace&utc_offset=-841', problems: [['greater_than_equal', 'query', 'utc_offset']] },
    ],
  },
  updateDataset: {
    request: async world => ({ ...(await ofDataset(world)), body: { guidelines: 'Be kind.' } }),
    permission: MEMBER_ADMIN,
    invalid: [
      { body: { name: null, distribution: null }, problems: [['value_error', 'body']] },
      { body: { allow_extra_metadata: null, name: 3 }, problems: [['value_error', 'body']] },
      { body: { distribution: { strategy: 'overlap' } }, problems: [['missing', 'body', 'distribution', 'min_submitted']] },
    ],
  },
  publishDataset: { request: ofDraft, permission: MEMBER_ADMIN },
  deleteDataset: { request: ofDataset, permission: MEMBER_ADMIN },
  getDatasetProgress: { request: ofDataset, permission: MEMBER },
  getDatasetUsersProgress: { request: ofDataset, permission: MEMBER },
  getDatasetOverview: {
    request: async world => ({ ...(await ofDataset(world)), query: 'days=7&utc_offset=-60' }),
    permission: MEMBER_ADMIN,
    invalid: [
      {
        query: 'days=0&utc_offset=841',
        problems: [
          ['greater_than_equal', 'query', 'days'],
          ['less_than_equal', 'query', 'utc_offset'],
        ],
      },
      {
        query: 'days=367&utc_offset=x',
        problems: [
          ['less_than_equal', 'query', 'days'],
          ['int_parsing', 'query', 'utc_offset'],
        ],
      },
    ],
  },
  listOverviewRecords: {
    request: async world => ({ ...(await ofDataset(world)), query: 'status=submitted&record_status=pending&limit=5&offset=0' }),
    permission: MEMBER_ADMIN,
    invalid: [
      {
        query: 'status=done&record_status=open&user_id=x&record_id=y&limit=101&offset=-1&score_tenths=10&accepted=maybe&value=',
        problems: [
          ['enum', 'query', 'record_status'],
          ['enum', 'query', 'status'],
          ['uuid_parsing', 'query', 'user_id'],
          ['string_too_short', 'query', 'value'],
          ['less_than_equal', 'query', 'score_tenths'],
          ['bool_parsing', 'query', 'accepted'],
          ['uuid_parsing', 'query', 'record_id'],
          ['greater_than_equal', 'query', 'offset'],
          ['less_than_equal', 'query', 'limit'],
        ],
      },
    ],
  },
  listMyTransfers: { request: () => ({}), permission: EVERYBODY },
  getMyDatasetMetrics: { request: ofDataset, permission: MEMBER },
  listDatasetEvents: {
    request: async world => ({ ...(await ofDataset(world)), query: 'after=1&limit=2&wait=1' }),
    permission: MEMBER_ADMIN,
    invalid: [
      {
        query: 'after=-1&limit=0&wait=61',
        problems: [
          ['greater_than_equal', 'query', 'after'],
          ['greater_than_equal', 'query', 'limit'],
          ['less_than_equal', 'query', 'wait'],
        ],
      },
      {
        query: 'after=9007199254740993&limit=1001&wait=x',
        problems: [
          ['less_than_equal', 'query', 'after'],
          ['less_than_equal', 'query', 'limit'],
          ['int_parsing', 'query', 'wait'],
        ],
      },
    ],
  },
  streamMyDatasetEvents: { request: ofDataset, permission: MEMBER },
}
