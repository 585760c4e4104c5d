import { aUser, fresh, NO_ID, type World } from '../http.ts'
import { at, IN, type LegacyCase, NOT_ADMINS, NOT_OWNERS, STRANGERS } from './case.ts'
import { RECORD_CASES, SETTINGS_CASES } from './record-cases.ts'

export interface Prepared {
  /** Name and id of the workspace. */
  workspace: string
  workspaceId: string
  texts: string
  tokens: string
  sentences: string
  deleted: string
  userId: string
  memberId: string
}

export async function prepareDatasets(world: World): Promise<Prepared> {
  const { owner, workspaceId } = world
  const { name: workspace } = await owner.done<{ name: string }>(`GET /workspaces/${workspaceId}`)
  const create = async (word: string, task: string) => {
    const name = fresh(word)
    await owner.done('POST /api/datasets', { name, task, workspace })
    return name
  }
  const prepared = {
    workspace,
    workspaceId,
    texts: await create('texts', 'TextClassification'),
    tokens: await create('tokens', 'TokenClassification'),
    sentences: await create('sentences', 'Text2Text'),
    deleted: await create('deleted', 'Text2Text'),
    userId: (await aUser(world.server.url, owner, 'annotator')).id,
    memberId: world.memberAnnotator.id,
  }
  const path = `/api/datasets/${prepared.texts}/TextClassification`
  const annotation = { agent: 'ann', labels: [{ class: 'yes' }] }
  const records = [
    { id: 'one', inputs: { text: 'hello world' }, annotation },
    { id: 2, inputs: { text: 'bye' }, metadata: { k: { v: 1 } } },
  ]
  await owner.done(`POST ${path}:bulk?workspace=${workspace}`, { records })
  await owner.done(`POST ${path}/labeling/rules?workspace=${workspace}`, { query: 'text:hello world/a', label: 'yes' })
  return prepared
}

const USER_CASES: Record<string, LegacyCase> = {
  legacyMe: { request: 'GET /api/me', caller: 'memberAnnotator' },
  legacyInfo: { request: 'GET /api/_info', answer: { version: '1.29.1' } },
  legacyStatus: { request: 'GET /api/_status' },
  legacyToken: {
    request: 'POST /api/security/token',
    body: new URLSearchParams({ username: 'owner', password: 'owner-password' }),
    invalid: [
      { body: new URLSearchParams({ username: 'owner' }) },
      { body: new URLSearchParams({ username: 'owner', password: 'wrong' }), status: 401, code: 'UnauthorizedError' },
    ],
  },
  legacyListUsers: { request: 'GET /api/users', forbidden: NOT_OWNERS },
  legacyCreateUser: {
    request: 'POST /api/users',
    // Several files of a worker send this to the same server.
    get body() {
      return { first_name: 'Lou', username: fresh('Lou'), password: 'a long password' }
    },
    forbidden: NOT_OWNERS,
    invalid: [
      { body: { first_name: 'Lou', username: '-lou', password: 'a long password' } },
      { body: { first_name: ' ', username: 'lou', password: 'short' } },
      {
        body: { first_name: 'O', username: 'owner', password: 'a long password' },
        status: 409,
        code: 'EntityAlreadyExistsError',
      },
      {
        body: { first_name: 'O', username: 'other', password: 'a long password', workspaces: ['nowhere'] },
        code: 'at workspaces: There is no workspace named: nowhere',
      },
    ],
  },
  legacyDeleteUser: {
    request: 'DELETE /api/users/{userId}',
    forbidden: ['memberAdmin', 'memberAnnotator'],
    invalid: [{ request: 'DELETE /api/users/nobody' }],
    missing: [{ request: `DELETE /api/users/${NO_ID}` }],
  },
  legacyListWorkspaces: { request: 'GET /api/workspaces', caller: 'memberAnnotator' },
  legacyCreateWorkspace: {
    request: 'POST /api/workspaces',
    body: { name: fresh('created-here') },
    forbidden: NOT_OWNERS,
    invalid: [
      { body: {} },
      { body: { name: '-x' } },
      { body: { name: 'default' }, status: 409, code: 'EntityAlreadyExistsError' },
    ],
  },
  legacyListWorkspaceUsers: {
    request: 'GET /api/workspaces/{workspaceId}/users',
    forbidden: ['memberAnnotator', 'strangerAdmin'],
    invalid: [{ request: 'GET /api/workspaces/x/users' }],
    missing: [{ request: `GET /api/workspaces/${NO_ID}/users` }],
  },
  legacyRemoveWorkspaceUser: {
    request: 'DELETE /api/workspaces/{workspaceId}/users/{memberId}',
    forbidden: ['memberAnnotator', 'strangerAdmin'],
    invalid: [{ request: 'DELETE /api/workspaces/x/users/{memberId}' }],
    missing: [{ request: `DELETE /api/workspaces/{workspaceId}/users/${NO_ID}` }],
  },
  // Adds the annotator to the workspace again.
  legacyAddWorkspaceUser: {
    request: 'POST /api/workspaces/{workspaceId}/users/{memberId}',
    forbidden: NOT_OWNERS.filter(name => name !== 'memberAnnotator'),
    invalid: [{ request: 'POST /api/workspaces/{workspaceId}/users/x' }],
    missing: [
      { request: `POST /api/workspaces/${NO_ID}/users/{memberId}` },
      { request: `POST /api/workspaces/{workspaceId}/users/${NO_ID}` },
    ],
  },
}

const DATASET_CASES: Record<string, LegacyCase> = {
  legacyListDatasets: {
    request: `GET /api/datasets${IN}`,
    caller: 'memberAnnotator',
    missing: [{ request: 'GET /api/datasets?workspace=nowhere' }],
  },
  legacyCreateDataset: {
    request: `POST /api/datasets${IN}`,
    body: { name: 'made-here', task: 'TextClassification', tags: { a: 'b' }, metadata: { m: [1] } },
    forbidden: NOT_ADMINS,
    invalid: [
      { body: { name: 'Upper', task: 'TextClassification' } },
      { body: { name: 'x', task: 'Other' } },
      { request: 'POST /api/datasets', body: { name: 'x', task: 'Text2Text' }, status: 400, code: 'MissingInputParamError' },
      { body: { name: 'x', task: 'Text2Text', workspace: 'nowhere' }, status: 404, code: 'EntityNotFoundError' },
    ],
  },
  legacyGetDataset: { ...at('GET', ''), caller: 'memberAnnotator', forbidden: STRANGERS },
  legacyUpdateDataset: {
    ...at('PATCH', ''),
    caller: 'memberAnnotator',
    body: { tags: { t: '1' }, metadata: { m: 2 } },
    forbidden: STRANGERS,
    invalid: [{ body: { tags: { t: {} } } }],
  },
  legacyDeleteDataset: {
    request: `DELETE /api/datasets/{deleted}${IN}`,
    answer: null,
    forbidden: NOT_ADMINS,
    missing: [{ request: 'DELETE /api/datasets/{deleted}', status: 400, code: 'MissingInputParamError' }],
  },
  legacyCopyDataset: {
    ...at('PUT', ':copy'),
    body: { name: 'copied' },
    forbidden: NOT_ADMINS,
    invalid: [{ body: {} }, { body: { name: 'x', target_workspace: 'nowhere' }, status: 404, code: 'EntityNotFoundError' }],
  },
  legacyCloseDataset: { ...at('PUT', ':close'), answer: null, forbidden: NOT_ADMINS },
  legacyOpenDataset: { ...at('PUT', ':open'), answer: null, forbidden: NOT_ADMINS },
}

export const CASES: Record<string, LegacyCase> = { ...USER_CASES, ...DATASET_CASES, ...RECORD_CASES, ...SETTINGS_CASES }
