/** Users with browsers, and a whole server in one thread. */
import type { Session } from '@postil/domain/users'
import { openAttempts } from '../../../lib/attempts.ts'
import { openTestApp } from '../../../testing/app.ts'
import { openTestContext } from '../../../testing/context.ts'
import { createFirstOwner } from '../../users/create-first-owner.ts'

export const PASSWORD = 'long enough'
export const CSRF = { 'x-postil-csrf': '1' }

interface Sent {
  headers?: Record<string, string>
  body?: object
}

export type Browsers = Awaited<ReturnType<typeof openBrowsers>>

export async function openBrowsers() {
  /** Delays of sign-in attempts in milliseconds. The fake `sleep` does not really wait. */
  const held: number[] = []
  const sleep = async (ms: number) => void held.push(ms)
  // A fixed clock, so that failed attempts do not expire during a test.
  const attempts = openAttempts({ sleep, nowMs: () => 0 })
  const ctx = { ...(await openTestContext()), attempts }
  const app = openTestApp(ctx)
  let made = 0

  /** Creates an owner and returns the username. */
  async function aPerson(): Promise<string> {
    const username = `person-${++made}`
    await createFirstOwner(ctx, { username, password: PASSWORD, apiKey: null, workspace: null })
    return username
  }

  async function send(request: string, { headers = {}, body }: Sent = {}) {
    const [method = '', path] = request.split(' ')
    const answer = await app.inject({
      method: method as 'GET',
      url: `/api/v1${path}`,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    })
    return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? '' : answer.json() }
  }

  const signIn = (
    username: string,
    { password = PASSWORD, headers = {} }: { password?: string; headers?: Sent['headers'] } = {},
  ) => send('POST /session', { body: { username, password }, headers })

  /** Returns the session and device cookies of a browser that has just signed in. */
  async function cookiesOf(username: string, headers: Record<string, string> = {}): Promise<[session: string, device: string]> {
    const answer = await signIn(username, { headers })
    const [session = '', device = ''] = [answer.headers['set-cookie'] ?? []].flat().map(cookie => cookie.split(';')[0] ?? '')
    return [session, device]
  }
  const cookieOf = async (username: string, headers: Record<string, string> = {}) => (await cookiesOf(username, headers))[0]

  const me = (cookie: string, headers: Record<string, string> = {}) => send('GET /me', { headers: { cookie, ...headers } })
  const sessionsOf = async (cookie: string) => (await send('GET /me/sessions', { headers: { cookie } })).body.items as Session[]

  /** Moves the stored times of a session into the past by `seconds`. */
  async function age(cookie: string, seconds: number): Promise<void> {
    const current = (await sessionsOf(cookie)).find(session => session.current)
    const back = (time = '') => `${new Date(Date.parse(`${time}Z`) - seconds * 1000).toISOString().slice(0, 23)}000`
    const times = [back(current?.last_seen_at), back(current?.expires_at)]
    await ctx.db.sql.run('update sessions set last_seen_at = ?, expires_at = ? where id = ?', [...times, current?.id ?? ''])
  }

  const close = async () => {
    await app.close()
    await ctx.close()
  }
  return { ctx, app, held, aPerson, send, signIn, cookieOf, cookiesOf, me, sessionsOf, age, close }
}
