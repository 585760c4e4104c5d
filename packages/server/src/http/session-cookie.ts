/**
 * The cookies of a browser, which no script can read and no other site can send: the secret of its session, and a signed
 * statement that somebody has signed in here before.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config.ts'
import { WithHeaders } from '../lib/answer.ts'
import { type CredentialsOf, newDeviceProof, type Secrets } from '../lib/secrets.ts'
import { endSignInCookie } from '../lib/sign-in-cookie.ts'
import type { Sender } from './sender.ts'

const SESSION = 'postil_session'
const DEVICE = 'postil_device'
/** The longest time for which browsers keep a cookie: 400 days. It ends earlier with the password. */
const DEVICE_SECONDS = 34_560_000

/** The secret as the cookie holds it, or null when there is none that could be one. */
export const readSessionSecret = (headers: IncomingHttpHeaders): string | null =>
  /^[A-Za-z0-9_-]{43}$/.exec(readCookie(headers, SESSION))?.[0] ?? null

/** What the device cookie holds, or null when there is none that could be one. */
export const readDeviceProof = (headers: IncomingHttpHeaders): string | null =>
  /^[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$/.exec(readCookie(headers, DEVICE))?.[0] ?? null

function readCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string {
  // Of several the first counts: it has the longest path, so it is ours.
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

/** What is said to one browser must not be kept for others. */
const NO_STORE = { 'cache-control': 'no-store' }

const session = (ctx: CookieContext, secret: string) =>
  toText(ctx, { name: SESSION, value: secret, seconds: ctx.config.sessionSeconds })

const device = (ctx: CookieContext & { secrets: Secrets }, user: CredentialsOf) =>
  toText(ctx, { name: DEVICE, value: newDeviceProof(ctx.secrets, user), seconds: DEVICE_SECONDS })

export const sessionCookie = (ctx: CookieContext, secret: string) => ({ 'set-cookie': session(ctx, secret), ...NO_STORE })

/** The answer, with the cookie of a new session and that of a browser in which this user has signed in. */
export const withSession = (ctx: CookieContext & { secrets: Secrets }, secret: string, user: CredentialsOf, answer: unknown) =>
  new WithHeaders({ 'set-cookie': [session(ctx, secret), device(ctx, user)], ...NO_STORE }, answer)

/** The answer, with the cookie of a browser in which this user has signed in. */
export const withDevice = (ctx: CookieContext & { secrets: Secrets }, user: CredentialsOf, answer: unknown) =>
  new WithHeaders({ 'set-cookie': device(ctx, user), ...NO_STORE }, answer)

/** The answer, with the end of the cookie of a sign-in with a provider, which is over. */
export function withoutSignIn(cookieName: string, answer: unknown): WithHeaders {
  const { headers, value } = answer instanceof WithHeaders ? answer : new WithHeaders(NO_STORE, answer)
  return new WithHeaders({ ...headers, 'set-cookie': [headers['set-cookie'] ?? [], endSignInCookie(cookieName)].flat() }, value)
}

/** An empty answer that ends the cookie of the session. The other one stays: it is for the next time. */
export const withoutSession = (ctx: CookieContext) =>
  new WithHeaders({ 'set-cookie': toText(ctx, { name: SESSION, value: '', seconds: 0 }), ...NO_STORE }, undefined)
