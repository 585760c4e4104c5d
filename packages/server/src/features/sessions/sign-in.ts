import type { OpenContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import { type Credentials, checkCredentials } from '../token/check-credentials.ts'
import { openSession } from './writes.ts'

/** Checks name and password where waiting for it holds up no write; the writer then opens the session. */
export async function signIn(ctx: OpenContext, credentials: Credentials): Promise<OnWriter> {
  const user = await checkCredentials(ctx, credentials)
  return new OnWriter(openSession, { user_id: user.id, credentials_version: user.credentials_version })
}
