import * as api from '@postil/domain/api/workspaces'
import { type Served, serve } from '../../http/serve.ts'
import { createWorkspace } from './create.ts'
import { deleteWorkspace } from './delete.ts'
import { addWorkspaceUser, removeWorkspaceUser } from './members.ts'
import { getWorkspace, listMyWorkspaces, listWorkspaceUsers } from './read.ts'

export const workspaceRoutes: Served[] = [
  serve(api.listMyWorkspaces, ctx => listMyWorkspaces(ctx)),
  serve(api.getWorkspace, (ctx, { params }) => getWorkspace(ctx, params.workspace_id)),
  serve(api.createWorkspace, (ctx, { body }) => createWorkspace(ctx, body)),
  serve(api.deleteWorkspace, (ctx, { params }) => deleteWorkspace(ctx, params.workspace_id)),
  serve(api.listWorkspaceUsers, (ctx, { params }) => listWorkspaceUsers(ctx, params.workspace_id)),
  serve(api.addWorkspaceUser, (ctx, { params, body }) => addWorkspaceUser(ctx, params.workspace_id, body.user_id)),
  serve(api.removeWorkspaceUser, (ctx, { params }) => removeWorkspaceUser(ctx, params.workspace_id, params.user_id)),
]
