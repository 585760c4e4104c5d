/** A configurable OpenID Connect provider for tests. It is correct by default. */
import type { ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { openCodes } from './codes.ts'
import { openHttpServer, readForm, sendJson } from './http-server.ts'

type Person = { sub: string } & Record<string, unknown>

interface Behaviour {
  /** Builds the ID token to send from the correct claims. */
  idToken?: (claims: JWTPayload) => Promise<string> | string
  discovery?: (document: Record<string, unknown>) => Record<string, unknown>
  userInfo?: (claims: Person) => unknown
  /** Replaces the responses of some paths. */
  answer?: Record<string, (response: ServerResponse) => void>
  /** Returns the tokens of this person for every code. */
  anyCode?: { person: Person; nonce: string | null }
}

export type HostileProvider = Awaited<ReturnType<typeof openHostileProvider>>

const KEY_ID = 'key-1'

export async function openHostileProvider() {
  const keys = await generateKeyPair('RS256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: KEY_ID, use: 'sig', alg: 'RS256' }] }
  const codes = openCodes<Person>()
  const people = new Map<string, Person>()
  const requests: string[] = []
  let behaviour: Behaviour = {}

  const sign = (claims: JWTPayload, key = keys.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: KEY_ID }).sign(key)

  function toClaims(person: Person, nonce: string | null): JWTPayload {
    const now = Math.floor(Date.now() / 1000)
    return { ...person, iss: server.url, aud: 'postil', iat: now, exp: now + 300, ...(nonce === null ? {} : { nonce }) }
  }

  const server = await openHttpServer(async (request, response, { pathname }) => {
    requests.push(pathname)
    const instead = behaviour.answer?.[pathname]
    if (instead) return instead(response)
    if (pathname === '/.well-known/openid-configuration') {
      const document = {
        issuer: server.url,
        authorization_endpoint: `${server.url}/authorize`,
        token_endpoint: `${server.url}/token`,
        userinfo_endpoint: `${server.url}/userinfo`,
        jwks_uri: `${server.url}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }
      sendJson(response, behaviour.discovery?.(document) ?? document)
    } else if (pathname === '/jwks') {
      sendJson(response, jwks)
    } else if (pathname === '/token') {
      const granted = codes.redeem(await readForm(request)) ?? behaviour.anyCode
      if (!granted) return void sendJson(response, { error: 'invalid_grant', error_description: 'no such <b>code</b>' }, 400)
      const claims = toClaims(granted.person, granted.nonce)
      const id_token = await (behaviour.idToken ?? sign)(claims)
      const access_token = `token-${people.size}`
      people.set(`Bearer ${access_token}`, granted.person)
      sendJson(response, { access_token, token_type: 'Bearer', expires_in: 300, id_token })
    } else if (pathname === '/userinfo') {
      const person = people.get(request.headers.authorization ?? '')
      if (person) sendJson(response, behaviour.userInfo?.(person) ?? person)
      else sendJson(response, {}, 401)
    } else {
      sendJson(response, {}, 404)
    }
  })
  return {
    ...server,
    grant: codes.grant,
    sign,
    keys,
    /** Paths that were requested. */
    requests,
    behave: (next: Behaviour) => {
      behaviour = next
    },
  }
}
