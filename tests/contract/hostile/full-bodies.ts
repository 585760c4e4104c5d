/** A body with every property for each route with a JSON body. The attacks replace its properties one by one. */
import type { RecordResponse } from '@postil/domain/responses'
import { ALL_FIELDS, ALL_QUESTIONS, type BuiltDataset, first, idOf, named, SMALL_DRAFT } from '../datasets.ts'
import { fresh } from '../http.ts'
import { exchangeBodies } from './exchange-bodies.ts'
import { datasetOf, recordsOf, type Target } from './target.ts'

export interface FullBody {
  /** Id of the contract. */
  id: string
  params?: Record<string, string>
  body: object
}

const VALUES = {
  mood: { value: 'happy' },
  topics: { value: ['food', 'art'] },
  quality: { value: 3 },
  order: { value: ['b', 'a', 'c'].map((value, index) => ({ value, rank: index + 1 })) },
  spots: { value: [{ label: 'person', start: 0, end: 2 }] },
  comment: { value: 'Fine.' },
}
const RESPONSE = { status: 'submitted', values: VALUES }

const FIELDS = {
  text: 'A green apple',
  picture: 'https://pics.example/a.png',
  talk: [{ role: 'user', content: 'Hello' }],
  page: { deep: [{ a: 1 }] },
  note: null,
}

const suggestionsOf = ({ questions }: BuiltDataset) => [
  { question_id: idOf(questions, 'mood'), value: 'sad', score: 0.5, agent: 'model-1', type: 'model' },
  { question_id: idOf(questions, 'topics'), value: ['food', 'sport'], score: [0.5, 0.25], agent: 'model-1', type: 'human' },
  { question_id: idOf(questions, 'order'), value: [{ value: 'a', rank: 1 }], score: [1] },
  { question_id: idOf(questions, 'spots'), value: [{ label: 'person', start: 0, end: 2 }] },
]

const recordOf = ({ owner }: Target, dataset: BuiltDataset) => ({
  fields: FIELDS,
  metadata: { source: 'web', length: 3, weight: 0.5, extra: { a: [1] } },
  vectors: { embed: [1, 2, 3], other: [0.5, 1] },
  suggestions: suggestionsOf(dataset),
  responses: [{ user_id: owner.id, ...RESPONSE }],
})

const search = {
  query: { text: { q: 'apple', field: 'text' }, vector: { name: 'embed', value: [1, 2, 3], order: 'most_similar' } },
  filters: {
    and: [
      { type: 'terms', scope: { entity: 'record', property: 'status' }, values: ['pending', 'completed'] },
      { type: 'terms', scope: { entity: 'metadata', metadata_property: 'source' }, values: ['web'] },
      { type: 'range', scope: { entity: 'metadata', metadata_property: 'weight' }, ge: 0, le: 5 },
      { type: 'range', scope: { entity: 'record', property: 'inserted_at' }, ge: '2020-01-01', le: '2999-01-01' },
      { type: 'terms', scope: { entity: 'suggestion', question: 'mood', property: 'value' }, values: ['sad'] },
      { type: 'range', scope: { entity: 'suggestion', question: 'mood', property: 'score' }, ge: 0 },
      { type: 'terms', scope: { entity: 'response', question: 'quality' }, values: ['3'] },
      { type: 'terms', scope: { entity: 'response', property: 'status' }, values: ['submitted', 'pending'] },
    ],
  },
  sort: [
    { scope: { entity: 'record', property: 'inserted_at' }, order: 'asc' },
    { scope: { entity: 'metadata', metadata_property: 'length' }, order: 'desc' },
    { scope: { entity: 'response', question: 'quality' }, order: 'asc' },
    { scope: { entity: 'suggestion', question: 'mood', property: 'agent' }, order: 'asc' },
  ],
}

const counts = {
  query: { text: search.query.text },
  filters: search.filters,
  response_status: 'pending',
  of: [
    { entity: 'metadata', metadata_property: 'source' },
    { entity: 'suggestion', question: 'mood', property: 'score' },
    { entity: 'response', question: 'quality' },
  ],
  exclude_own: true,
}

export async function fullBodies(target: Target): Promise<FullBody[]> {
  const dataset = await datasetOf(target)
  const draft = await datasetOf(target, SMALL_DRAFT)
  const item = recordOf(target, dataset)
  const record = first(await recordsOf(target, dataset, [item]))
  const response = first(record.responses) as RecordResponse
  return [
    ...recordBodies(dataset, record.id, item),
    ...answerBodies(dataset, record.id, response.id),
    ...bulkBodies(dataset, record.id),
    ...exchangeBodies(dataset, search),
    ...settingsBodies(dataset, draft),
    ...accountBodies(target, dataset),
    ...(await invitationBodies(target)),
    ...(await webhookBodies(target)),
  ]
}

function recordBodies(dataset: BuiltDataset, recordId: string, item: object): FullBody[] {
  const params = { dataset_id: dataset.id }
  return [
    { id: 'createRecordsBulk', params, body: { items: [{ ...item, external_id: fresh('record') }] } },
    { id: 'createRecords', params, body: { items: [{ ...item, external_id: fresh('record') }] } },
    { id: 'upsertRecordsBulk', params, body: { items: [{ ...item, id: recordId, external_id: fresh('record') }] } },
    { id: 'updateRecords', params, body: { items: [{ ...item, id: recordId }] } },
    { id: 'updateRecord', params: { record_id: recordId }, body: item },
    { id: 'searchRecords', params, body: search },
    { id: 'searchMyRecords', params, body: search },
    { id: 'countMyRecords', params, body: counts },
    {
      id: 'searchRecords',
      params,
      body: { query: { vector: { name: 'embed', record_id: recordId, order: 'least_similar' } }, filter: search.filters },
    },
  ]
}

function answerBodies(dataset: BuiltDataset, recordId: string, responseId: string): FullBody[] {
  const params = { record_id: recordId }
  const suggestions = suggestionsOf(dataset)
  return [
    { id: 'createResponse', params, body: RESPONSE },
    { id: 'createMyResponse', params, body: RESPONSE },
    { id: 'createRecordComment', params, body: { body: 'Why?' } },
    { id: 'updateResponse', params: { response_id: responseId }, body: RESPONSE },
    { id: 'updateResponse', params: { response_id: responseId }, body: { ...RESPONSE, status: 'draft' } },
    { id: 'upsertMyResponsesBulk', body: { items: [{ record_id: recordId, ...RESPONSE }] } },
    ...suggestions.map(body => ({ id: 'upsertSuggestion', params, body })),
    { id: 'createSuggestion', params, body: first(suggestions) },
  ]
}

/** The expected totals are wrong, so that none of them starts a job. */
function bulkBodies(dataset: BuiltDataset, recordId: string): FullBody[] {
  const params = { dataset_id: dataset.id }
  const shared = { expected_total: 99, merge: false, write_id: '0190b9d0-0000-7000-8000-00000000abcf' }
  const byQuery = {
    query: { query: counts.query, filters: search.filters, sort: search.sort },
    response_status: 'pending',
    except_record_ids: [recordId],
  }
  return [
    {
      id: 'deleteRecordsByFilter',
      params,
      body: { query: byQuery.query, response_status: 'pending', expected_total: 99, write_id: shared.write_id },
    },
    { id: 'createBulkJob', params, body: { ...byQuery, ...shared, action: { type: 'respond', ...RESPONSE } } },
    {
      id: 'createBulkJob',
      params,
      body: {
        record_ids: [recordId],
        ...shared,
        action: { type: 'accept_suggestions', questions: [{ name: 'mood', min_score: 0.5 }], status: 'draft' },
      },
    },
  ]
}

const NEW_OPTION = { value: 'new', text: 'New', description: 'Not there yet' }

function settingsBodies(dataset: BuiltDataset, draft: BuiltDataset): FullBody[] {
  const params = { dataset_id: draft.id }
  return [
    ...ALL_FIELDS.map(field => ({ id: 'createField', params, body: { ...field, name: fresh('field') } })),
    ...ALL_QUESTIONS.map(question => ({ id: 'createQuestion', params, body: { ...question, name: fresh('question') } })),
    ...Object.values(dataset.fields).map(({ id, title, settings }) => ({
      id: 'updateField',
      params: { field_id: id },
      body: { title, settings },
    })),
    ...Object.values(dataset.questions).map(({ id, title, description, settings }) => ({
      id: 'updateQuestion',
      params: { question_id: id },
      body: { title, description, settings },
    })),
    ...Object.values(dataset.properties).flatMap(({ id, title, settings, visible_for_annotators }) => [
      { id: 'createMetadataProperty', params, body: { name: fresh('property'), title, settings, visible_for_annotators } },
      { id: 'updateMetadataProperty', params: { metadata_property_id: id }, body: { title, visible_for_annotators } },
    ]),
    // They refer to things that do not exist, so that none of them starts a job.
    {
      id: 'migrateQuestionOption',
      params: { question_id: idOf(dataset.questions, 'mood') },
      body: { from: 'none', to: 'happy' },
    },
    { id: 'addQuestionOptions', params: { question_id: idOf(dataset.questions, 'mood') }, body: { options: [NEW_OPTION] } },
    { id: 'setQuestionRequired', params: { question_id: idOf(dataset.questions, 'comment') }, body: { required: false } },
    {
      id: 'setQuestionsOrder',
      params: { dataset_id: dataset.id },
      body: { question_ids: Object.values(dataset.questions).map(({ id }) => id) },
    },
    { id: 'createVectorsSettings', params, body: { name: fresh('vector'), title: 'Vector', dimensions: 3 } },
    { id: 'updateVectorsSettings', params: { vectors_settings_id: idOf(dataset.vectors, 'embed') }, body: { title: 'Vector' } },
  ]
}

function accountBodies({ workspaceId, server, owner }: Target, dataset: BuiltDataset): FullBody[] {
  const { name, guidelines = 'Be kind.', allow_extra_metadata, distribution } = named({ dataset: dataset.dataset }, 'dataset')
  const shared = { guidelines: guidelines ?? 'Be kind.', allow_extra_metadata, distribution, metadata: { any: [1] } }
  return [
    { id: 'createDataset', body: { ...shared, name: fresh('dataset'), workspace_id: workspaceId } },
    { id: 'updateDataset', params: { dataset_id: dataset.id }, body: { ...shared, name } },
    { id: 'createWorkspace', body: { id: '0190b9d0-0000-7000-8000-00000000abcd', name: fresh('workspace') } },
    { id: 'addWorkspaceUser', params: { workspace_id: workspaceId }, body: { user_id: owner.id } },
    {
      id: 'createUser',
      body: {
        id: '0190b9d0-0000-7000-8000-00000000abce',
        first_name: 'Lena',
        last_name: 'Roth',
        username: server.username,
        role: 'annotator',
        password: 'a long password',
        workspaces: [server.workspace],
      },
    },
    // An unknown user, because wrong passwords are counted by username and the owner must stay usable.
    { id: 'createSession', body: { username: 'nobody', password: 'a wrong password' } },
    {
      id: 'createOAuthSession',
      params: { provider: 'github' },
      body: { code: 'a code', state: 'a state', iss: 'https://evil.example', error: 'denied', error_description: 'No' },
    },
    { id: 'changeMyPassword', body: { current_password: 'a wrong password', new_password: 'another password' } },
    { id: 'updateUser', params: { user_id: owner.id }, body: { first_name: 'Owner', last_name: 'Of all', role: 'owner' } },
  ]
}

/** A revoked invitation, so that no body creates a user. Its token is valid, so that few attempts count as guesses. */
async function invitationBodies({ owner, workspaceId }: Target): Promise<FullBody[]> {
  const { id, token } = await owner.done<{ id: string; token: string }>('POST /invitations', {})
  await owner.done(`DELETE /invitations/${id}`)
  return [
    {
      id: 'createInvitation',
      body: { username: fresh('invited'), role: 'annotator', workspace_ids: [workspaceId], expires_in_hours: 24 },
    },
    { id: 'lookUpInvitation', body: { token } },
    {
      id: 'acceptInvitation',
      body: { token, username: 'lena', first_name: 'Lena', last_name: 'Roth', password: 'a long password' },
    },
  ]
}

async function webhookBodies({ owner }: Target): Promise<FullBody[]> {
  // Nothing listens on this port.
  const body = { url: 'http://127.0.0.1:9/in', events: ['record.completed', 'dataset.created'], description: 'A bot' }
  const { id } = await owner.done<{ id: string }>('POST /webhooks', body)
  return [
    { id: 'createWebhook', body },
    { id: 'updateWebhook', params: { webhook_id: id }, body: { ...body, enabled: true } },
  ]
}
