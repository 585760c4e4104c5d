/**
 * Cookies that scripts cannot read and other sites cannot send: the session secret, and a signed proof that a user has signed in
 * with this browser before.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config.ts'
import { WithHeaders } from '../lib/answer.ts'
import { newDeviceProof, type Secrets, type UserCredentials } from '../lib/secrets.ts'
import { endSignInCookie } from '../lib/sign-in-cookie.ts'
import type { Sender } from './sender.ts'

const SESSION = 'postil_session'
const DEVICE = 'postil_device'
/** 400 days, the maximum age of cookies in browsers. A change of password ends it earlier. */
const DEVICE_SECONDS = 34_560_000

/** Returns the secret in the session cookie, or null if the cookie is missing or malformed. */
export const readSessionSecret = (headers: IncomingHttpHeaders): string | null =>
  /^[A-Za-z0-9_-]{43}$/.exec(readCookie(headers, SESSION))?.[0] ?? null

/** Returns the proof in the device cookie, or null if the cookie is missing or malformed. */
export const readDeviceProof = (headers: IncomingHttpHeaders): string | null =>
  /^[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$/.exec(readCookie(headers, DEVICE))?.[0] ?? null

function readCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string {
  // If there are several, the first is ours: browsers send the cookie with the longest path first.
  const pair = cookie.split(';').find(part => part.trim().startsWith(`${name}=`))
  return pair?.trim().slice(name.length + 1) ?? ''
}

type CookieContext = { config: Pick<Config, 'baseUrl' | 'sessionSeconds'>; sender: Pick<Sender, 'isSecure'> }

interface Cookie {
  name: string
  value: string
  seconds: number
}

function toText({ config, sender }: CookieContext, { name, value, seconds }: Cookie): string {
  const words = [`${name}=${value}`, 'HttpOnly', 'SameSite=Strict', `Path=${config.baseUrl}`, `Max-Age=${seconds}`]
  return [...words, ...(sender.isSecure ? ['Secure'] : [])].join('; ')
}

/** Responses with cookies must not be cached for other clients. */
const NO_STORE = { 'cache-control': 'no-store' }

const session = (ctx: CookieContext, secret: string) =>
  toText(ctx, { name: SESSION, value: secret, seconds: ctx.config.sessionSeconds })

const device = (ctx: CookieContext & { secrets: Secrets }, user: UserCredentials) =>
  toText(ctx, { name: DEVICE, value: newDeviceProof(ctx.secrets, user), seconds: DEVICE_SECONDS })

export const sessionCookie = (ctx: CookieContext, secret: string) => ({ 'set-cookie': session(ctx, secret), ...NO_STORE })

/** Adds the cookies of a new session and of the user's device to the response. */
export const withSession = (ctx: CookieContext & { secrets: Secrets }, secret: string, user: UserCredentials, answer: unknown) =>
  new WithHeaders({ 'set-cookie': [session(ctx, secret), device(ctx, user)], ...NO_STORE }, answer)

/** Adds the cookie of the user's device to the response. */
export const withDevice = (ctx: CookieContext & { secrets: Secrets }, user: UserCredentials, answer: unknown) =>
  new WithHeaders({ 'set-cookie': device(ctx, user), ...NO_STORE }, answer)

/** Adds a header that deletes the cookie of a finished sign-in with a provider. */
export function withoutSignIn(cookieName: string, answer: unknown): WithHeaders {
  const { headers, value } = answer instanceof WithHeaders ? answer : new WithHeaders(NO_STORE, answer)
  return new WithHeaders({ ...headers, 'set-cookie': [headers['set-cookie'] ?? [], endSignInCookie(cookieName)].flat() }, value)
}

/** Empty response that deletes the session cookie. The device cookie stays for the next sign-in. */
export const withoutSession = (ctx: CookieContext) =>
  new WithHeaders({ 'set-cookie': toText(ctx, { name: SESSION, value: '', seconds: 0 }), ...NO_STORE }, undefined)
