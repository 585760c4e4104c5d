/** The cookie of a session: a secret that no script can read and no other site can send. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config.ts'
import { WithHeaders } from '../lib/answer.ts'
import type { Sender } from './sender.ts'

const NAME = 'postil_session'

/** The secret as the cookie holds it, or null when there is none that could be one. */
export function readSessionSecret({ cookie = '' }: IncomingHttpHeaders): string | null {
  // Of several the first counts: it has the longest path, so it is ours.
  const pair = cookie.split(';').find(part => part.trim().startsWith(`${NAME}=`))
  return /=([A-Za-z0-9_-]{43})$/.exec(pair?.trim() ?? '')?.[1] ?? null
}

type CookieContext = { config: Pick<Config, 'baseUrl' | 'sessionSeconds'>; sender: Pick<Sender, 'isSecure'> }

function cookieHeaders({ config, sender }: CookieContext, value: string, seconds: number): Record<string, string> {
  const words = [`${NAME}=${value}`, 'HttpOnly', 'SameSite=Strict', `Path=${config.baseUrl}`, `Max-Age=${seconds}`]
  // What is said to one browser must not be kept for others.
  return { 'set-cookie': [...words, ...(sender.isSecure ? ['Secure'] : [])].join('; '), 'cache-control': 'no-store' }
}

export const sessionCookie = (ctx: CookieContext, secret: string) => cookieHeaders(ctx, secret, ctx.config.sessionSeconds)

/** The answer, with the cookie of a new session. */
export const withSession = (ctx: CookieContext, secret: string, answer: unknown) =>
  new WithHeaders(sessionCookie(ctx, secret), answer)

/** An empty answer that takes the cookie away. */
export const withoutSession = (ctx: CookieContext) => new WithHeaders(cookieHeaders(ctx, '', 0), undefined)
