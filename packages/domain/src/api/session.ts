/** Browser sessions, and the actions of users on their own account. */
import { Items, Shape, Text } from '../schema.ts'
import { PasswordChange, Session, User } from '../users.ts'
import { SessionParams } from './params.ts'
import { ACCOUNT_BODY_BYTES_MAX, route, SIGN_IN_BODY_BYTES_MAX } from './route.ts'

const tag = 'me'

export const createSession = route({
  id: 'createSession',
  method: 'POST',
  path: '/api/v1/session',
  tag,
  status: 201,
  auth: false,
  // Checking a password is slow. Only the database write after it runs on the writer thread.
  runs: 'here',
  bodyBytesMax: SIGN_IN_BODY_BYTES_MAX,
  refusals: [401, 403],
  summary: 'Sign in with username and password; the session is a cookie',
  body: Shape({ username: Text(), password: Text() }),
  response: User,
})

export const deleteSession = route({
  id: 'deleteSession',
  method: 'DELETE',
  path: '/api/v1/session',
  tag,
  status: 204,
  auth: false,
  runs: 'writer',
  urgent: true,
  refusals: [403],
  summary: 'Sign out: the session of the cookie ends, if there is one',
})

export const listMySessions = route({
  id: 'listMySessions',
  method: 'GET',
  path: '/api/v1/me/sessions',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'The caller’s sessions, last seen first',
  response: Items(Session),
})

export const deleteMySession = route({
  id: 'deleteMySession',
  method: 'DELETE',
  path: '/api/v1/me/sessions/:session_id',
  tag,
  status: 204,
  runs: 'writer',
  summary: 'End one of the caller’s sessions',
  params: SessionParams,
})

export const changeMyPassword = route({
  id: 'changeMyPassword',
  method: 'PUT',
  path: '/api/v1/me/password',
  tag,
  status: 204,
  runs: 'here',
  bodyBytesMax: ACCOUNT_BODY_BYTES_MAX,
  summary: 'Change the caller’s password; all other sessions end',
  body: PasswordChange,
})

export const rotateMyApiKey = route({
  id: 'rotateMyApiKey',
  method: 'POST',
  path: '/api/v1/me/api-key',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Give the caller a new API key; the old one ends',
  response: User,
})

export const sessionRoutes = [createSession, deleteSession, listMySessions, deleteMySession, changeMyPassword, rotateMyApiKey]
