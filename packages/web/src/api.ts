/** The client of the API. The session is a cookie that no script can read; the header proves that a page of ours asks. */
import { type Client, createClient } from '@postil/client'
import { SERVER_URL } from './server-address.ts'

export type Api = Client

export interface ApiOptions {
  /** Every request names the person it is made for: the server refuses it when somebody else is signed in by now. */
  userId?: string
  /** The answer says that nobody is signed in. */
  onSignedOut?(): void
  /** The answer says that somebody else is. */
  onWrongUser?(): void
}

export function headersFor(userId?: string): Record<string, string> {
  return { 'x-postil-csrf': '1', ...(userId === undefined ? {} : { 'x-postil-user': userId }) }
}

export function createApi({ userId, onSignedOut, onWrongUser }: ApiOptions = {}): Api {
  return createClient({
    url: SERVER_URL,
    fetch: async (url, init) => {
      const headers = { ...init.headers, ...headersFor(userId) }
      const answer = await fetch(url, { ...init, credentials: 'same-origin', headers })
      if (answer.status === 401 && !url.endsWith('/api/v1/session')) onSignedOut?.()
      if (answer.status === 409 && (await isWrongUser(answer.clone()))) onWrongUser?.()
      return answer
    },
  })
}

async function isWrongUser(answer: Response): Promise<boolean> {
  try {
    return (await answer.json()).code === 'wrong_user'
  } catch {
    return false
  }
}
