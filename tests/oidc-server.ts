/** A real OpenID Connect provider on this machine, with a page on which users sign in or refuse. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export type OidcServer = Awaited<ReturnType<typeof openOidcServer>>

export const OIDC_CLIENT = { client_id: 'postil', client_secret: 'a secret of the provider' }

const PAGE = `<!doctype html><html lang="en"><title>Provider</title><form method="post">
  <label>Name <input name="login" required></label>
  <button name="act" value="agree">Agree</button> <button name="act" value="refuse" formnovalidate>Refuse</button></form></html>`

/** Responds after `serve` has received the redirect URI. */
export async function openOidcServer() {
  let handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> = async (_request, response) => {
    response.writeHead(503).end()
  }
  const server = createServer((request, response) => void handle(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'key-1' }

  function serve(redirectUri: string): void {
    const provider = openProvider(url, redirectUri, key)
    const callback = provider.callback()
    handle = async (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void callback(request, response)
      if (request.method === 'GET') return void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
      const form = new URLSearchParams(await readText(request))
      const refusal = { error: 'access_denied', error_description: 'The person refused' }
      const result = form.get('act') === 'agree' ? { login: { accountId: form.get('login') ?? '' } } : refusal
      await provider.interactionFinished(request, response, result)
    }
  }

  /**
   * Visits this URL like a browser; the user agrees or refuses. Returns the parameters that the provider adds to the callback
   * URL.
   */
  async function visit(location: string, form: { login: string; act?: 'agree' | 'refuse' }): Promise<Record<string, string>> {
    const jar = new Map<string, string>()
    let [next, body]: [string, URLSearchParams | null] = [location, null]
    for (let steps = 0; steps < 10; steps++) {
      const cookie = Array.from(jar, pair => pair.join('=')).join('; ')
      const init: RequestInit = body ? { method: 'POST', body } : {}
      const answer: Response = await fetch(next, { ...init, headers: { cookie }, redirect: 'manual' })
      for (const text of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
        jar.set(name, value)
      }
      const to = answer.headers.get('location')
      if (to === null && answer.status !== 200) throw new Error(`${next} -> ${answer.status} ${await answer.text()}`)
      body = to === null ? new URLSearchParams({ act: 'agree', ...form }) : null
      if (to !== null) next = new URL(to, next).href
      if (!next.startsWith(url)) return Object.fromEntries(new URL(next).searchParams)
    }
    throw new Error('The provider sends the browser in circles')
  }

  const close = async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  }
  return { url, serve, visit, close }
}

/** The user `lena` has the subject `subject-of-lena`. */
function openProvider(url: string, redirectUri: string, key: object): Provider {
  return new Provider(url, {
    clients: [{ ...OIDC_CLIENT, redirect_uris: [redirectUri], id_token_signed_response_alg: 'ES256' }],
    jwks: { keys: [key] },
    cookies: { keys: ['a key of tests'] },
    claims: { openid: ['sub'], profile: ['preferred_username', 'given_name'], email: ['email'] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ sub: `subject-of-${accountId}`, preferred_username: accountId, given_name: accountId.toUpperCase() }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId ?? '', accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  })
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
