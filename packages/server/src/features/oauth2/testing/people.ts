/** A server in one thread with some providers, and browsers with cookies as its clients. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { User } from '@postil/domain/users'
import { openTestApp } from '../../../testing/app.ts'
import { openTestContext } from '../../../testing/context.ts'
import type { SignInLog } from '../../audit-log/sign-in-log.ts'
import type { FetchLimits } from '../limited-fetch.ts'
import { createProviders } from '../providers.ts'

export type Returned = Partial<Record<'code' | 'state' | 'iss' | 'error' | 'error_description', string>>

interface Options {
  env?: Record<string, string>
  limits?: FetchLimits
  signIns?: SignInLog
}

export type SignInServer = Awaited<ReturnType<typeof openSignInServer>>

/** `file` is the configuration of providers, written as JSON, which is valid YAML. */
export async function openSignInServer(file: object, { env = {}, limits, signIns }: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'postil-oauth-'))
  const path = join(folder, 'oauth.yaml')
  writeFileSync(path, JSON.stringify(file))
  const opened = await openTestContext({ SERVICE_AUTH_OAUTH_CFG: path, ...env })
  const ctx = {
    ...opened,
    ...(limits && { providers: createProviders(opened.config.oauth, { limits }) }),
    ...(signIns && { signIns }),
  }
  const app = openTestApp(ctx)
  const close = async () => {
    await app.close()
    await ctx.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { ctx, app, close, browser: (headers?: Record<string, string>) => openBrowser(app, headers) }
}

function openBrowser(app: ReturnType<typeof openTestApp>, own: Record<string, string> = {}) {
  const jar = new Map<string, string>()

  async function send(request: string, { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {}) {
    const [method = '', path = ''] = request.split(' ')
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ')
    const answer = await app.inject({
      method: method as 'GET',
      url: `/api/v1${path}`,
      headers: { host: 'postil.example', cookie, ...own, ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    })
    const cookies = [answer.headers['set-cookie'] ?? []].flat()
    for (const text of cookies) keep(jar, text)
    const isJson = answer.body !== '' && String(answer.headers['content-type']).startsWith('application/json')
    return { status: answer.statusCode, headers: answer.headers, cookies, body: isJson ? answer.json() : answer.body }
  }

  /** Returns the authorization URL to which the browser is redirected. */
  const begin = async (provider: string, search = '') =>
    String((await send(`GET /oauth2/providers/${provider}/authentication${search}`)).headers.location)

  const finish = (provider: string, body: Returned) => send(`POST /oauth2/providers/${provider}/session`, { body })

  /** `grant` simulates the user's consent at the provider. */
  async function signIn(provider: string, grant: (location: string) => Returned): Promise<{ user: User; return_to: string }> {
    const answer = await finish(provider, grant(await begin(provider)))
    if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  return { jar, send, begin, finish, signIn, me: () => send('GET /me') }
}

function keep(jar: Map<string, string>, text: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
  if (text.includes('Max-Age=0')) jar.delete(name)
  else jar.set(name, value)
}
