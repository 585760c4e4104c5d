import { Items } from '../schema.ts'
import { User } from '../users.ts'
import { Workspace, WorkspaceCreate, WorkspaceUserCreate } from '../workspaces.ts'
import { WorkspaceParams, WorkspaceUserParams } from './params.ts'
import { route } from './route.ts'

const tag = 'workspaces'

export const listMyWorkspaces = route({
  id: 'listMyWorkspaces',
  method: 'GET',
  path: '/api/v1/me/workspaces',
  tag,
  status: 200,
  runs: 'here',
  summary: 'Workspaces of the caller; all of them for an owner',
  response: Items(Workspace),
})

export const getWorkspace = route({
  id: 'getWorkspace',
  method: 'GET',
  path: '/api/v1/workspaces/:workspace_id',
  tag,
  status: 200,
  runs: 'here',
  summary: 'One workspace',
  params: WorkspaceParams,
  response: Workspace,
})

export const createWorkspace = route({
  id: 'createWorkspace',
  method: 'POST',
  path: '/api/v1/workspaces',
  tag,
  status: 201,
  runs: 'writer',
  summary: 'Create a workspace',
  body: WorkspaceCreate,
  response: Workspace,
})

export const deleteWorkspace = route({
  id: 'deleteWorkspace',
  method: 'DELETE',
  path: '/api/v1/workspaces/:workspace_id',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Delete a workspace that has no datasets',
  params: WorkspaceParams,
  response: Workspace,
})

export const listWorkspaceUsers = route({
  id: 'listWorkspaceUsers',
  method: 'GET',
  path: '/api/v1/workspaces/:workspace_id/users',
  tag,
  status: 200,
  runs: 'here',
  summary: 'Members of a workspace, in the order they joined',
  params: WorkspaceParams,
  response: Items(User),
})

export const addWorkspaceUser = route({
  id: 'addWorkspaceUser',
  method: 'POST',
  path: '/api/v1/workspaces/:workspace_id/users',
  tag,
  status: 201,
  runs: 'writer',
  summary: 'Make a user a member',
  params: WorkspaceParams,
  body: WorkspaceUserCreate,
  response: User,
})

export const removeWorkspaceUser = route({
  id: 'removeWorkspaceUser',
  method: 'DELETE',
  path: '/api/v1/workspaces/:workspace_id/users/:user_id',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'End a membership',
  params: WorkspaceUserParams,
  response: User,
})

export const workspaceRoutes = [
  listMyWorkspaces,
  getWorkspace,
  createWorkspace,
  deleteWorkspace,
  listWorkspaceUsers,
  addWorkspaceUser,
  removeWorkspaceUser,
]
