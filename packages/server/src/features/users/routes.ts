import { changeMyPassword, rotateMyApiKey } from '@postil/domain/api/session'
import * as api from '@postil/domain/api/users'
import { type Served, serve } from '../../http/serve.ts'
import { withDevice } from '../../http/session-cookie.ts'
import { changePassword, storePassword } from './change-password.ts'
import { createUser, insertHashedUser } from './create.ts'
import { deactivateUser, reactivateUser } from './deactivate.ts'
import { deleteUser } from './delete.ts'
import { getMe, getUser, getUserContributions, listUsers, listUserWorkspaces } from './read.ts'
import { resetApiKey, rotateApiKey } from './rotate-api-key.ts'
import { changeHashedUser, updateUser } from './update.ts'
import * as writes from './writes.ts'

export const userRoutes: Served[] = [
  serve(api.getMe, ctx => getMe(ctx)),
  serve(changeMyPassword, (ctx, { body }) => changePassword(ctx, body)),
  serve(writes.storePassword, async (ctx, { body }) => {
    const user = await storePassword(ctx, body.password_hash, body.credentials_version)
    // Issues a new device proof, because the previous one ended with the old password.
    return ctx.sender.sessionHash === null ? undefined : withDevice(ctx, user, undefined)
  }),
  serve(rotateMyApiKey, ctx => rotateApiKey(ctx)),
  serve(api.listUsers, ctx => listUsers(ctx)),
  serve(api.getUser, (ctx, { params }) => getUser(ctx, params.user_id)),
  serve(api.createUser, (ctx, { body }) => createUser(ctx, body)),
  serve(writes.insertUser, (ctx, { body }) => insertHashedUser(ctx, body)),
  serve(api.updateUser, (ctx, { params, body }) => updateUser(ctx, params.user_id, body)),
  serve(writes.changeUser, (ctx, { body }) => changeHashedUser(ctx, body.user_id, body.given)),
  serve(api.deleteUser, (ctx, { params, query }) => deleteUser(ctx, params.user_id, query.responses)),
  serve(api.listUserWorkspaces, (ctx, { params }) => listUserWorkspaces(ctx, params.user_id)),
  serve(api.getUserContributions, (ctx, { params }) => getUserContributions(ctx, params.user_id)),
  serve(api.resetUserApiKey, (ctx, { params }) => resetApiKey(ctx, params.user_id)),
  serve(api.deactivateUser, (ctx, { params }) => deactivateUser(ctx, params.user_id)),
  serve(api.reactivateUser, (ctx, { params }) => reactivateUser(ctx, params.user_id)),
]
