import { changeMyPassword, rotateMyApiKey } from '@postil/domain/api/session'
import * as api from '@postil/domain/api/users'
import { type Served, serve } from '../../http/serve.ts'
import { changePassword } from './change-password.ts'
import { createUser } from './create.ts'
import { deleteUser } from './delete.ts'
import { getMe, getUser, listUsers, listUserWorkspaces } from './read.ts'
import { rotateApiKey } from './rotate-api-key.ts'
import { updateUser } from './update.ts'

export const userRoutes: Served[] = [
  serve(api.getMe, ctx => getMe(ctx)),
  serve(changeMyPassword, (ctx, { body }) => changePassword(ctx, body)),
  serve(rotateMyApiKey, ctx => rotateApiKey(ctx)),
  serve(api.listUsers, ctx => listUsers(ctx)),
  serve(api.getUser, (ctx, { params }) => getUser(ctx, params.user_id)),
  serve(api.createUser, (ctx, { body }) => createUser(ctx, body)),
  serve(api.updateUser, (ctx, { params, body }) => updateUser(ctx, params.user_id, body)),
  serve(api.deleteUser, (ctx, { params }) => deleteUser(ctx, params.user_id)),
  serve(api.listUserWorkspaces, (ctx, { params }) => listUserWorkspaces(ctx, params.user_id)),
]
