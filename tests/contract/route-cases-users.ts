import type { Session } from '@postil/domain/users'
import { ACTORS, aUser, aWorkspace, fresh, type World } from './http.ts'
import { EVERYBODY, MEMBER, MEMBER_ADMIN, OWNER, OWNER_FIRST, type RouteCases } from './route-case.ts'
import { aBulkJob } from './route-cases-bulk-jobs.ts'

const aPerson = async (world: World) => (await aUser(world.server.url, world.owner, 'annotator')).id

/** Creates a session of the owner. */
async function aSession({ server, nobody, owner }: World): Promise<string> {
  await nobody.done('POST /session', { username: server.username, password: server.password })
  const { items } = await owner.done<{ items: Session[] }>('GET /me/sessions')
  return items[0]?.id ?? ''
}

export const userCases: Record<string, RouteCases> = {
  createToken: {
    request: ({ server }) => ({ body: new URLSearchParams({ username: server.username, password: server.password }) }),
    invalid: [
      { body: new URLSearchParams({ username: 'owner' }), problems: [['missing', 'body', 'password']] },
      {
        body: new URLSearchParams(),
        problems: [
          ['missing', 'body', 'username'],
          ['missing', 'body', 'password'],
        ],
      },
    ],
  },
  getMe: { request: () => ({}), permission: EVERYBODY },
  createSession: {
    request: ({ server }) => ({ body: { username: server.username, password: server.password } }),
    invalid: [
      {
        body: { username: 1 },
        problems: [
          ['string_type', 'body', 'username'],
          ['missing', 'body', 'password'],
        ],
      },
    ],
  },
  deleteSession: { request: () => ({}) },
  listMySessions: { request: () => ({}), permission: EVERYBODY },
  deleteMySession: { request: async world => ({ params: { session_id: await aSession(world) } }) },
  changeMyPassword: {
    request: async world => {
      const body = { current_password: world.server.password, new_password: world.server.password }
      // All callers get the same password.
      const others = ACTORS.filter(name => name !== 'owner').map(name => world[name].id)
      for (const id of others) await world.owner.done(`PATCH /users/${id}`, { password: world.server.password })
      return { body }
    },
    permission: EVERYBODY,
    invalid: [
      {
        body: { current_password: null, new_password: '1234567' },
        problems: [
          ['string_type', 'body', 'current_password'],
          ['string_too_short', 'body', 'new_password'],
        ],
      },
      {
        body: { current_password: 'x'.repeat(101), new_password: 'x'.repeat(101) },
        problems: [
          ['string_too_long', 'body', 'current_password'],
          ['string_too_long', 'body', 'new_password'],
        ],
      },
    ],
  },
  rotateMyApiKey: { request: () => ({}), permission: EVERYBODY },
  listUsers: { request: () => ({}), permission: OWNER },
  getUser: { request: ({ memberAnnotator }) => ({ params: { user_id: memberAnnotator.id } }), permission: OWNER_FIRST },
  createUser: {
    request: () => ({ body: { first_name: 'Omar', username: fresh('omar'), password: '12345678' } }),
    permission: OWNER,
    invalid: [
      {
        body: { first_name: '  ', username: '', password: '1234567', role: 'king', last_name: '' },
        problems: [
          ['string_too_short', 'body', 'first_name'],
          ['string_too_short', 'body', 'last_name'],
          ['string_too_short', 'body', 'username'],
          ['enum', 'body', 'role'],
          ['string_too_short', 'body', 'password'],
        ],
      },
      {
        body: {
          first_name: 'x'.repeat(201),
          last_name: 'x'.repeat(201),
          username: 'x'.repeat(201),
          password: '12345678',
          workspaces: Array(1_001).fill('x'),
        },
        problems: [
          ['string_too_long', 'body', 'first_name'],
          ['string_too_long', 'body', 'last_name'],
          ['string_too_long', 'body', 'username'],
          ['too_long', 'body', 'workspaces'],
        ],
      },
      {
        body: { first_name: 1, password: 'x'.repeat(101), id: 'x' },
        problems: [
          ['uuid_parsing', 'body', 'id'],
          ['string_type', 'body', 'first_name'],
          ['missing', 'body', 'username'],
          ['string_too_long', 'body', 'password'],
        ],
      },
    ],
  },
  updateUser: {
    request: async world => ({ params: { user_id: await aPerson(world) }, body: { first_name: 'Nadia' } }),
    permission: OWNER,
    invalid: [
      { body: { first_name: null }, problems: [['value_error', 'body']] },
      { body: { username: null, role: null, password: null, first_name: 3 }, problems: [['value_error', 'body']] },
      { body: { password: 'short' }, problems: [['string_too_short', 'body', 'password']] },
      { body: { username: 'x'.repeat(201) }, problems: [['string_too_long', 'body', 'username']] },
    ],
  },
  deleteUser: {
    request: async world => ({ params: { user_id: await aPerson(world) } }),
    permission: OWNER,
    invalid: [{ query: 'responses=some', problems: [['enum', 'query', 'responses']] }],
  },
  resetUserApiKey: { request: async world => ({ params: { user_id: await aPerson(world) } }), permission: OWNER_FIRST },
  deactivateUser: { request: async world => ({ params: { user_id: await aPerson(world) } }), permission: OWNER_FIRST },
  reactivateUser: {
    request: async world => {
      const user_id = await aPerson(world)
      await world.owner.done(`POST /users/${user_id}/deactivate`)
      return { params: { user_id } }
    },
    permission: OWNER_FIRST,
  },
  listUserWorkspaces: {
    request: ({ memberAnnotator }) => ({ params: { user_id: memberAnnotator.id } }),
    permission: OWNER_FIRST,
  },
  getUserContributions: {
    request: ({ memberAnnotator }) => ({ params: { user_id: memberAnnotator.id } }),
    permission: OWNER_FIRST,
  },
  listMyWorkspaces: { request: () => ({}), permission: EVERYBODY },
  getWorkspace: {
    request: ({ workspaceId }) => ({ params: { workspace_id: workspaceId } }),
    permission: { ...MEMBER, order: '403 then 404' },
  },
  createWorkspace: {
    request: () => ({ body: { name: fresh('space') } }),
    permission: OWNER,
    invalid: [
      { body: {}, problems: [['missing', 'body', 'name']] },
      { body: { name: '' }, problems: [['string_too_short', 'body', 'name']] },
    ],
  },
  deleteWorkspace: {
    request: async ({ owner }) => ({ params: { workspace_id: await aWorkspace(owner) } }),
    permission: OWNER_FIRST,
  },
  listWorkspaceUsers: {
    request: ({ workspaceId }) => ({ params: { workspace_id: workspaceId } }),
    permission: { ...MEMBER_ADMIN, order: '403 then 404' },
  },
  addWorkspaceUser: {
    request: async world => ({ params: { workspace_id: world.workspaceId }, body: { user_id: await aPerson(world) } }),
    permission: OWNER_FIRST,
    invalid: [
      { body: {}, problems: [['missing', 'body', 'user_id']] },
      { body: { user_id: 3 }, problems: [['uuid_type', 'body', 'user_id']] },
    ],
  },
  removeWorkspaceUser: {
    request: async world => {
      const user_id = await aPerson(world)
      await world.owner.done(`POST /workspaces/${world.workspaceId}/users`, { user_id })
      return { params: { workspace_id: world.workspaceId, user_id } }
    },
    permission: MEMBER_ADMIN,
  },
  getVersion: { request: () => ({}) },
  getStatus: { request: () => ({}) },
  getSettings: { request: () => ({}) },
  getLiveness: { request: () => ({}) },
  getReadiness: { request: () => ({}) },
  getJob: {
    request: async world => ({ params: { job_id: (await aBulkJob(world)).id } }),
    permission: MEMBER_ADMIN,
  },
}
