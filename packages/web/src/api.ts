/** API client. The session is an HttpOnly cookie; the CSRF header proves that the request comes from one of our pages. */
import { type Client, createClient } from '@postil/client'
import { takeFromPage } from './page-data.ts'
import { SERVER_URL } from './server-address.ts'

export type Api = Client

export interface ApiOptions {
  /** User on whose behalf requests are made. The server rejects a request if another user is signed in. */
  userId?: string
  /** Called if the server responds that no user is signed in. */
  onSignedOut?(): void
  /** Called if the server responds that another user is signed in. */
  onWrongUser?(): void
}

export function headersFor(userId?: string): Record<string, string> {
  return { 'x-postil-csrf': '1', ...(userId === undefined ? {} : { 'x-postil-user': userId }) }
}

export function createApi({ userId, onSignedOut, onWrongUser }: ApiOptions = {}): Api {
  return createClient({
    url: SERVER_URL,
    fetch: async (url, init) => {
      const known = takeFromPage(url, init, userId)
      if (known) return known
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
