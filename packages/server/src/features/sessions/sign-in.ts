import type { OpenContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import { type Credentials, checkCredentials, rehashPassword } from '../token/check-credentials.ts'
import { openSession } from './writes.ts'

/** Checks name and password outside the writer, so that no write has to wait. The writer then opens the session. */
export async function signIn(ctx: OpenContext, credentials: Credentials): Promise<OnWriter> {
  const user = await checkCredentials(ctx, credentials)
  const password_hash = await rehashPassword(ctx, user, credentials.password)
  return new OnWriter(openSession, { user_id: user.id, credentials_version: user.credentials_version, password_hash })
}
