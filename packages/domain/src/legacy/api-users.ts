/** Legacy routes for the session, users and workspaces. */
import { ACCOUNT_BODY_BYTES_MAX, SIGN_IN_BODY_BYTES_MAX } from '../api/route.ts'
import { AnyJson, Id, List, Nullable, OneOf, Optional, Shape, type Static, Text, Timestamps, Type } from '../schema.ts'
import { ROLES, UserCreate } from '../users.ts'
import { Workspace, WorkspaceCreate } from '../workspaces.ts'
import { legacyRoute } from './route.ts'

/** A user in the 1.x format. Null properties are omitted except for the API key, which clients require. */
export const LegacyUser = Shape({
  id: Id,
  first_name: Text(),
  last_name: Optional(Text()),
  full_name: Text(),
  username: Text(),
  role: OneOf(ROLES),
  workspaces: List(Text()),
  /** Empty if the caller may not see it. */
  api_key: Text(),
  ...Timestamps,
})
export type LegacyUser = Static<typeof LegacyUser>

const NAME_PATTERN = '^(?![-_])[A-Za-z0-9_-]+$'

const LegacyUserCreate = Shape({
  ...UserCreate.properties,
  username: Type.String({ minLength: 1, maxLength: 200, pattern: NAME_PATTERN }),
})

const UserParams = Shape({ user_id: Id })
const WorkspaceParams = Shape({ workspace_id: Id })
const WorkspaceUserParams = Shape({ workspace_id: Id, user_id: Id })

export const legacyMe = legacyRoute({
  id: 'legacyMe',
  method: 'GET',
  paths: ['/api/me'],
  runs: 'here',
  summary: 'The caller',
  response: LegacyUser,
})

export const legacyInfo = legacyRoute({
  id: 'legacyInfo',
  method: 'GET',
  paths: ['/api/_info'],
  auth: false,
  runs: 'here',
  summary: 'The level of the interface that 1.x clients check',
  response: Shape({ version: Text() }),
})

export const legacyStatus = legacyRoute({
  id: 'legacyStatus',
  method: 'GET',
  paths: ['/api/_status'],
  auth: false,
  runs: 'here',
  summary: 'Versions, search engine and memory',
  response: AnyJson,
})

export const legacyToken = legacyRoute({
  id: 'legacyToken',
  method: 'POST',
  paths: ['/api/security/token'],
  auth: false,
  runs: 'here',
  bodyType: 'form',
  bodyBytesMax: SIGN_IN_BODY_BYTES_MAX,
  refusals: [401],
  summary: 'Sign in with username and password',
  body: Shape({ username: Text(), password: Text() }),
  response: Shape({ access_token: Text(), token_type: Text() }),
})

export const legacyListUsers = legacyRoute({
  id: 'legacyListUsers',
  method: 'GET',
  paths: ['/api/users'],
  runs: 'reader',
  summary: 'All users, oldest first',
  response: List(LegacyUser),
})

export const legacyCreateUser = legacyRoute({
  id: 'legacyCreateUser',
  method: 'POST',
  paths: ['/api/users'],
  runs: 'here',
  bodyBytesMax: ACCOUNT_BODY_BYTES_MAX,
  summary: 'Create a user in the workspaces named',
  body: LegacyUserCreate,
  response: LegacyUser,
})

export const legacyDeleteUser = legacyRoute({
  id: 'legacyDeleteUser',
  method: 'DELETE',
  paths: ['/api/users/{user_id}'],
  runs: 'writer',
  summary: 'Delete a user',
  params: UserParams,
  response: LegacyUser,
})

export const legacyListWorkspaces = legacyRoute({
  id: 'legacyListWorkspaces',
  method: 'GET',
  paths: ['/api/workspaces'],
  runs: 'reader',
  summary: 'Workspaces of the caller, all of them for an owner, oldest first',
  response: List(Workspace),
})

export const legacyCreateWorkspace = legacyRoute({
  id: 'legacyCreateWorkspace',
  method: 'POST',
  paths: ['/api/workspaces'],
  runs: 'writer',
  summary: 'Create a workspace',
  body: Shape({
    ...WorkspaceCreate.properties,
    id: Optional(Nullable(Id)),
    name: Type.String({ minLength: 1, maxLength: 200, pattern: NAME_PATTERN }),
  }),
  response: Workspace,
})

export const legacyListWorkspaceUsers = legacyRoute({
  id: 'legacyListWorkspaceUsers',
  method: 'GET',
  paths: ['/api/workspaces/{workspace_id}/users'],
  runs: 'reader',
  summary: 'Members of a workspace',
  params: WorkspaceParams,
  response: List(LegacyUser),
})

export const legacyAddWorkspaceUser = legacyRoute({
  id: 'legacyAddWorkspaceUser',
  method: 'POST',
  paths: ['/api/workspaces/{workspace_id}/users/{user_id}'],
  runs: 'writer',
  summary: 'Make a user a member of a workspace',
  params: WorkspaceUserParams,
  response: LegacyUser,
})

export const legacyRemoveWorkspaceUser = legacyRoute({
  id: 'legacyRemoveWorkspaceUser',
  method: 'DELETE',
  paths: ['/api/workspaces/{workspace_id}/users/{user_id}'],
  runs: 'writer',
  summary: 'End a membership',
  params: WorkspaceUserParams,
  response: LegacyUser,
})

export const legacyUserContracts = [
  legacyMe,
  legacyInfo,
  legacyStatus,
  legacyToken,
  legacyListUsers,
  legacyCreateUser,
  legacyDeleteUser,
  legacyListWorkspaces,
  legacyCreateWorkspace,
  legacyListWorkspaceUsers,
  legacyAddWorkspaceUser,
  legacyRemoveWorkspaceUser,
]
