import type { RecordResponse } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { Suggestion } from '@postil/domain/suggestions'
import { ALL_PROPERTIES, ALL_VECTORS, aDataset, aRecord, idOf, SMALL, submitted } from './datasets.ts'
import { NO_ID, type World } from './http.ts'
import { MEMBER, MEMBER_ADMIN, type RouteCases } from './route-case.ts'

const RELATIONS = ['responses', 'suggestions', 'vectors']
const ITEM = { fields: { text: 'An apple' } }
const noItems = { body: { items: [] }, problems: [['too_short', 'body', 'items']] } satisfies NonNullable<
  RouteCases['invalid']
>[0]

const ofDataset = async (world: World) => ({ params: { dataset_id: (await aDataset(world, SMALL)).id } })

/** Creates a record with a response, a suggestion, metadata and a vector. */
async function aFullRecord(world: World): Promise<{ datasetId: Id; recordId: Id; questionId: Id }> {
  const options = { ...SMALL, properties: ALL_PROPERTIES, vectors: ALL_VECTORS }
  const dataset = await aDataset(world, options)
  const questionId = idOf(dataset.questions, 'mood')
  const record = await aRecord(world, dataset, {
    metadata: { source: 'web', extra: [1, { a: null }] },
    vectors: { embed: [0.5, 1, -2] },
    suggestions: [{ question_id: questionId, value: 'sad', score: 0.5, agent: 'model-1', type: 'model' }],
    responses: [{ user_id: world.owner.id, ...submitted() }],
  })
  return { datasetId: dataset.id, recordId: record.id, questionId }
}

const ofRecord = async (world: World) => ({ params: { record_id: (await aFullRecord(world)).recordId } })
const ofDatasetWithRecord = async (world: World) => ({ params: { dataset_id: (await aFullRecord(world)).datasetId } })

const aPlainRecord = async (world: World) => {
  const dataset = await aDataset(world, SMALL)
  return { dataset, record: await aRecord(world, dataset) }
}

const aSuggestion = async (world: World) => {
  const { recordId } = await aFullRecord(world)
  const { items } = await world.owner.done<{ items: Suggestion[] }>(`GET /records/${recordId}/suggestions`)
  return { recordId, id: items[0]?.id ?? '' }
}

const aResponse = async (world: World) => {
  const { record } = await aPlainRecord(world)
  return (await world.owner.done<RecordResponse>(`POST /records/${record.id}/responses`, submitted())).id
}

const bulkProblems: RouteCases['invalid'] = [
  noItems,
  { body: {}, problems: [['missing', 'body', 'items']] },
  { body: { items: Array.from({ length: 501 }, () => ITEM) }, problems: [['too_long', 'body', 'items']] },
  {
    body: {
      items: [
        { ...ITEM, external_id: 'a' },
        { ...ITEM, external_id: 'b' },
        { ...ITEM, external_id: 'a' },
      ],
    },
    problems: [['value_error', 'body', 'items']],
  },
]

const listProblems: RouteCases['invalid'] = [
  { query: 'limit=0', problems: [['greater_than_equal', 'query', 'limit']] },
  { query: 'limit=1001', problems: [['less_than_equal', 'query', 'limit']] },
  { query: 'limit=x', problems: [['int_parsing', 'query', 'limit']] },
  { query: 'response_status=pending&response_status=open', problems: [['enum', 'query', 'response_status', 1]] },
  { query: 'metadata=source', problems: [['string_pattern_mismatch', 'query', 'metadata', 0]] },
]

const search: RouteCases = {
  request: async world => ({ ...(await ofDatasetWithRecord(world)), body: { query: { text: { q: 'apple' } } } }),
  permission: MEMBER_ADMIN,
  invalid: [
    { query: 'offset=-1', body: {}, problems: [['greater_than_equal', 'query', 'offset']] },
    { query: 'limit=1001', body: {}, problems: [['less_than_equal', 'query', 'limit']] },
    { query: 'highlight=perhaps', body: {}, problems: [['bool_parsing', 'query', 'highlight']] },
    { body: { filters: { and: [] } }, problems: [['too_short', 'body', 'filters', 'and']] },
  ],
  relations: [],
}

const counts: RouteCases = {
  request: async world => ({
    ...(await ofDatasetWithRecord(world)),
    body: {
      query: { text: { q: 'apple' } },
      response_status: 'submitted',
      of: [
        { entity: 'metadata', metadata_property: 'source' },
        { entity: 'metadata', metadata_property: 'length' },
        { entity: 'suggestion', question: 'mood' },
        { entity: 'suggestion', question: 'mood', property: 'score' },
        { entity: 'response', question: 'mood' },
      ],
    },
  }),
  permission: MEMBER,
  invalid: [
    { body: { response_status: 'open' }, problems: [['enum', 'body', 'response_status']] },
    { body: { of: Array(31).fill({ entity: 'response', question: 'mood' }) }, problems: [['too_long', 'body', 'of']] },
    { body: { of: [{ entity: 'record' }] }, problems: [['union_tag_invalid', 'body', 'of', 0]] },
    { body: { of: [{ entity: 'response' }] }, problems: [['missing', 'body', 'of', 0, 'response', 'question']] },
    { body: { exclude_own: 'perhaps' }, problems: [['bool_parsing', 'body', 'exclude_own']] },
    { body: { filters: { and: [] } }, problems: [['too_short', 'body', 'filters', 'and']] },
  ],
}

const writeRecordCases: Record<string, RouteCases> = {
  createRecordsBulk: {
    request: async world => ({ ...(await ofDataset(world)), body: { items: [ITEM] } }),
    permission: MEMBER_ADMIN,
    invalid: bulkProblems,
    relations: RELATIONS,
  },
  upsertRecordsBulk: {
    request: async world => ({ ...(await ofDataset(world)), body: { items: [ITEM] } }),
    permission: MEMBER_ADMIN,
    invalid: bulkProblems,
    relations: RELATIONS,
  },
  createRecords: {
    request: async world => ({ ...(await ofDataset(world)), body: { items: [ITEM] } }),
    permission: MEMBER_ADMIN,
    invalid: [
      noItems,
      { body: { items: Array.from({ length: 1001 }, () => ITEM) }, problems: [['too_long', 'body', 'items']] },
      { body: { items: [{}] }, problems: [['missing', 'body', 'items', 0, 'fields']] },
    ],
  },
  updateRecords: {
    request: async world => {
      const { dataset, record } = await aPlainRecord(world)
      return { params: { dataset_id: dataset.id }, body: { items: [{ id: record.id, metadata: { seen: true } }] } }
    },
    permission: MEMBER_ADMIN,
    invalid: [noItems, { body: { items: [{ metadata: {} }] }, problems: [['missing', 'body', 'items', 0, 'id']] }],
  },
  deleteRecords: {
    request: async world => {
      const { dataset, record } = await aPlainRecord(world)
      return { params: { dataset_id: dataset.id }, query: `ids=${record.id}` }
    },
    permission: MEMBER_ADMIN,
    invalid: [{ query: '', problems: [['missing', 'query', 'ids']] }],
  },
  updateRecord: {
    request: async world => ({ ...(await ofRecord(world)), body: { metadata: { source: 'mail' } } }),
    permission: MEMBER_ADMIN,
    invalid: [
      {
        body: { metadata: 'x', suggestions: {}, vectors: { embed: ['x'] } },
        problems: [
          ['dict_type', 'body', 'metadata'],
          ['list_type', 'body', 'suggestions'],
          ['float_parsing', 'body', 'vectors', 'embed', 0],
        ],
      },
    ],
    relations: RELATIONS,
  },
  deleteRecord: { request: ofRecord, permission: MEMBER_ADMIN, relations: [] },
}

const readRecordCases: Record<string, RouteCases> = {
  listRecords: { request: ofDatasetWithRecord, permission: MEMBER_ADMIN, invalid: listProblems, relations: [] },
  listMyRecords: {
    request: async world => ({ ...(await ofDatasetWithRecord(world)), query: 'include=responses,suggestions&include=vectors' }),
    permission: MEMBER,
    invalid: listProblems,
    relations: RELATIONS,
  },
  searchRecords: search,
  searchMyRecords: { ...search, permission: MEMBER },
  countMyRecords: counts,
  listSuggestionOptions: { request: ofDatasetWithRecord, permission: MEMBER },
  getRecord: { request: ofRecord, permission: MEMBER, relations: RELATIONS },
}

const createResponse: RouteCases = {
  request: async world => ({ params: { record_id: (await aPlainRecord(world)).record.id }, body: submitted() }),
  permission: MEMBER,
  invalid: [
    { body: {}, problems: [['missing', 'body', 'status']] },
    { body: { status: 'open' }, problems: [['enum', 'body', 'status']] },
  ],
}

const responseCases: Record<string, RouteCases> = {
  createResponse,
  createMyResponse: createResponse,
  updateResponse: {
    request: async world => ({ params: { response_id: await aResponse(world) }, body: submitted('sad') }),
    permission: MEMBER_ADMIN,
    invalid: [
      { body: { status: 'submitted' }, problems: [['missing', 'body', 'submitted', 'values']] },
      { body: { status: 'open' }, problems: [['union_tag_invalid', 'body']] },
      { body: {}, problems: [['union_tag_not_found', 'body']] },
    ],
  },
  deleteResponse: {
    request: async world => ({ params: { response_id: await aResponse(world) } }),
    permission: MEMBER_ADMIN,
    invalid: [{ query: 'if_updated_at=yesterday', problems: [['string_pattern_mismatch', 'query', 'if_updated_at']] }],
  },
  upsertMyResponsesBulk: {
    request: async world => ({ body: { items: [{ record_id: (await aPlainRecord(world)).record.id, ...submitted() }] } }),
    invalid: [
      noItems,
      { body: { items: [{ status: 'draft' }] }, problems: [['missing', 'body', 'items', 0, 'draft', 'record_id']] },
      { body: { items: [{ status: 'open' }] }, problems: [['union_tag_invalid', 'body', 'items', 0]] },
      {
        body: { items: [{ status: 'draft', record_id: NO_ID, write_id: 'x', if_updated_at: 'now' }] },
        problems: [
          ['uuid_parsing', 'body', 'items', 0, 'draft', 'write_id'],
          ['string_pattern_mismatch', 'body', 'items', 0, 'draft', 'if_updated_at'],
        ],
      },
    ],
  },
}

const writeSuggestion: RouteCases = {
  request: async world => {
    const { dataset, record } = await aPlainRecord(world)
    return { params: { record_id: record.id }, body: { question_id: idOf(dataset.questions, 'mood'), value: 'calm' } }
  },
  permission: MEMBER_ADMIN,
  invalid: [
    {
      body: { value: 'calm', type: 'robot', agent: '', score: 2 },
      problems: [
        ['missing', 'body', 'question_id'],
        ['enum', 'body', 'type'],
        ['string_too_short', 'body', 'agent'],
        ['value_error', 'body', 'score'],
      ],
    },
  ],
}

const suggestionCases: Record<string, RouteCases> = {
  listSuggestions: { request: ofRecord, permission: MEMBER },
  upsertSuggestion: writeSuggestion,
  createSuggestion: writeSuggestion,
  deleteSuggestions: {
    request: async world => {
      const { recordId, id } = await aSuggestion(world)
      return { params: { record_id: recordId }, query: `ids=${id}` }
    },
    permission: MEMBER_ADMIN,
    invalid: [{ query: '', problems: [['missing', 'query', 'ids']] }],
  },
  deleteSuggestion: {
    request: async world => ({ params: { suggestion_id: (await aSuggestion(world)).id } }),
    permission: MEMBER_ADMIN,
  },
}

export const recordCases: Record<string, RouteCases> = {
  ...writeRecordCases,
  ...readRecordCases,
  ...responseCases,
  ...suggestionCases,
}
