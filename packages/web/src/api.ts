/** The one client instance. The session is a cookie that no script can read; the header proves that a page of ours asks. */
import { createClient } from '@postil/client'
import { SERVER_URL } from './server-address.ts'

export const CSRF_HEADERS = { 'x-postil-csrf': '1' } as const

/** Called when an answer says that the session is over; see `session.ts`. */
let onSignedOut: () => void = () => {}
export const whenSignedOut = (handle: () => void) => {
  onSignedOut = handle
}

export const api = createClient({
  url: SERVER_URL,
  fetch: async (url, init) => {
    const answer = await fetch(url, { ...init, credentials: 'same-origin', headers: { ...init.headers, ...CSRF_HEADERS } })
    if (answer.status === 401 && !url.endsWith('/api/v1/session')) onSignedOut()
    return answer
  },
})
