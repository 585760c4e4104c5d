import { Items, OneOf, Optional, Shape, Text } from '../schema.ts'
import { RESPONSES_OF_DELETED, User, UserContributions, UserCreate, UserUpdate } from '../users.ts'
import { Workspace } from '../workspaces.ts'
import { UserParams } from './params.ts'
import { ACCOUNT_BODY_BYTES_MAX, route, SIGN_IN_BODY_BYTES_MAX } from './route.ts'

const tag = 'users'

export const createToken = route({
  id: 'createToken',
  method: 'POST',
  path: '/api/v1/token',
  tag,
  status: 201,
  auth: false,
  runs: 'here',
  bodyType: 'form',
  bodyBytesMax: SIGN_IN_BODY_BYTES_MAX,
  refusals: [401],
  summary: 'Sign in with username and password',
  body: Shape({ username: Text(), password: Text() }),
  response: Shape({ access_token: Text(), token_type: Text() }),
})

export const getMe = route({
  id: 'getMe',
  method: 'GET',
  path: '/api/v1/me',
  tag,
  status: 200,
  runs: 'here',
  summary: 'The user whose credentials are used',
  response: User,
})

export const listUsers = route({
  id: 'listUsers',
  method: 'GET',
  path: '/api/v1/users',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'All users, oldest first',
  response: Items(User),
})

export const getUser = route({
  id: 'getUser',
  method: 'GET',
  path: '/api/v1/users/:user_id',
  tag,
  status: 200,
  runs: 'here',
  summary: 'One user',
  params: UserParams,
  response: User,
})

export const createUser = route({
  id: 'createUser',
  method: 'POST',
  path: '/api/v1/users',
  tag,
  status: 201,
  // Hashing a password is slow. Only the database write after it runs on the writer thread.
  runs: 'here',
  bodyBytesMax: ACCOUNT_BODY_BYTES_MAX,
  summary: 'Create a user, in some workspaces if named',
  body: UserCreate,
  response: User,
})

export const updateUser = route({
  id: 'updateUser',
  method: 'PATCH',
  path: '/api/v1/users/:user_id',
  tag,
  status: 200,
  runs: 'here',
  bodyBytesMax: ACCOUNT_BODY_BYTES_MAX,
  summary: 'Change a user',
  params: UserParams,
  body: UserUpdate,
  response: User,
})

export const deleteUser = route({
  id: 'deleteUser',
  method: 'DELETE',
  path: '/api/v1/users/:user_id',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Delete a user with their responses; `responses=keep` keeps them under a pseudonym',
  params: UserParams,
  query: Shape({ responses: Optional(OneOf(RESPONSES_OF_DELETED, { default: 'delete' })) }),
  response: User,
})

export const resetUserApiKey = route({
  id: 'resetUserApiKey',
  method: 'POST',
  path: '/api/v1/users/:user_id/api-key',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Give a user a new API key; the old one ends',
  params: UserParams,
  response: User,
})

export const deactivateUser = route({
  id: 'deactivateUser',
  method: 'POST',
  path: '/api/v1/users/:user_id/deactivate',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Keep a user from signing in; their sessions and tokens end, their responses stay',
  params: UserParams,
  response: User,
})

export const reactivateUser = route({
  id: 'reactivateUser',
  method: 'POST',
  path: '/api/v1/users/:user_id/reactivate',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Let a deactivated user in again',
  params: UserParams,
  response: User,
})

export const listUserWorkspaces = route({
  id: 'listUserWorkspaces',
  method: 'GET',
  path: '/api/v1/users/:user_id/workspaces',
  tag,
  status: 200,
  runs: 'here',
  summary: 'Workspaces of a user; all of them for an owner',
  params: UserParams,
  response: Items(Workspace),
})

export const getUserContributions = route({
  id: 'getUserContributions',
  method: 'GET',
  path: '/api/v1/users/:user_id/contributions',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'How many responses and comments a user has given, and in how many datasets: for owners',
  params: UserParams,
  response: UserContributions,
})

export const userRoutes = [
  createToken,
  getMe,
  listUsers,
  getUser,
  createUser,
  updateUser,
  deleteUser,
  listUserWorkspaces,
  getUserContributions,
  resetUserApiKey,
  deactivateUser,
  reactivateUser,
]
