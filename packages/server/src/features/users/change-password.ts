import { invalid } from '@postil/domain/errors'
import type { PasswordChange } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { hashPassword, passwordFits } from '../../lib/password.ts'
import { write } from '../../storage/write.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { loadUser, updateUserRow } from './store.ts'

/** Changes the caller's password. Their sessions in other browsers end; API key and tokens stay. */
export async function changePassword(ctx: RequestContext, input: PasswordChange): Promise<undefined> {
  await checkCurrentPassword(ctx, input.current_password)
  const password_hash = await hashPassword(input.new_password)

  await write(ctx, async tx => {
    // Again, because hashing took a while: others may have changed or deleted the user meanwhile.
    const user = await loadUser(tx, ctx.actor.id)
    await updateUserRow(tx, { ...user, password_hash, updated_at: ctx.now() })
    await deleteSessionsOf(tx, user.id, { except: ctx.sender.sessionHash })
  })
}

/** Limited like signing in: who found an open browser must not learn the password by trying. */
async function checkCurrentPassword(ctx: RequestContext, password: string): Promise<void> {
  const user = await loadUser(ctx.db, ctx.actor.id)
  const attempt = `change password ${user.id}`
  ctx.attempts.take(attempt)
  if (!(await passwordFits(user.password_hash, password))) throw invalid('This is not your password', ['current_password'])
  ctx.attempts.giveBack(attempt)
}
