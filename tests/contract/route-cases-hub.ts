/** Cases of imports from and exports to a hub. The tests do not wait for their jobs. */
import { aDataset, aRecord, SMALL } from './datasets.ts'
import { toParquet } from './hub-world.ts'
import { MEMBER_ADMIN, type RouteCases } from './route-case.ts'

const MAPPING = { fields: [{ source: 'column', target: 'text' }] }
const IMPORT = { name: 'team/data', subset: 'default', split: 'train', mapping: MAPPING }
const EXPORT = { name: 'team/data', token: 'hf_test' }

export const hubCases: Record<string, RouteCases> = {
  importFromHub: {
    request: async world => ({ params: { dataset_id: (await aDataset(world, SMALL)).id }, body: IMPORT }),
    permission: MEMBER_ADMIN,
    invalid: [
      {
        body: {},
        problems: ['name', 'subset', 'split', 'mapping'].map(key => ['missing', 'body', key]),
      },
      { body: { ...IMPORT, mapping: { fields: [] } }, problems: [['too_short', 'body', 'mapping', 'fields']] },
      { body: { ...IMPORT, mapping: {} }, problems: [['missing', 'body', 'mapping', 'fields']] },
      {
        body: { ...IMPORT, mapping: { ...MAPPING, metadata: [{}], external_id: 1 } },
        problems: [
          ['missing', 'body', 'mapping', 'metadata', 0, 'source'],
          ['missing', 'body', 'mapping', 'metadata', 0, 'target'],
          ['string_type', 'body', 'mapping', 'external_id'],
        ],
      },
    ],
  },
  exportToHub: {
    request: async world => {
      const dataset = await aDataset(world, SMALL)
      await aRecord(world, dataset)
      return { params: { dataset_id: dataset.id }, body: EXPORT }
    },
    permission: MEMBER_ADMIN,
    invalid: [
      {
        body: {},
        problems: [
          ['missing', 'body', 'name'],
          ['missing', 'body', 'token'],
        ],
      },
      {
        body: { name: '', subset: '', split: '', private: 'maybe', token: '' },
        problems: [
          ['string_too_short', 'body', 'name'],
          ['string_too_short', 'body', 'subset'],
          ['string_too_short', 'body', 'split'],
          ['bool_parsing', 'body', 'private'],
          ['string_too_short', 'body', 'token'],
        ],
      },
    ],
  },
  getHubDataset: {
    request: ({ hub }) => {
      const columnData = [{ name: 'text', data: ['a', 'b'], type: 'STRING' as const }]
      hub.put('team/shown', { 'data/train-00000-of-00001.parquet': toParquet({ columnData }) })
      return { query: 'name=team/shown' }
    },
    permission: { admin: 'Y', annotator: '-' },
    invalid: [
      { query: '', problems: [['missing', 'query', 'name']] },
      {
        query: 'name=&subset=&split=',
        problems: ['name', 'subset', 'split'].map(key => ['string_too_short', 'query', key]),
      },
    ],
  },
}
