/**
 * Cookies of unfinished sign-ins with a provider: one per sign-in, so that several tabs do not interfere. Their content is
 * encrypted (`features/oauth2/attempt.ts`).
 */
import type { IncomingHttpHeaders } from 'node:http'

const NAME = 'postil_sign_in_'
const COOKIE = /^(?:__Host-)?postil_sign_in_[0-9a-f]{16}=[\w-]{0,4000}$/
/** Limit of concurrent sign-ins in one browser. The oldest cookies are deleted, because they would otherwise fill the header. */
const KEPT_MAX = 4
const READ_MAX = 40

export const readSignIns = ({ cookie = '' }: IncomingHttpHeaders): string[] =>
  cookie.includes(NAME)
    ? cookie
        .split(';')
        .map(part => part.trim())
        .filter(part => COOKIE.test(part))
        .slice(-READ_MAX)
    : []

/** With the `__Host-` prefix, only this host can set the cookie, over TLS; other hosts of the same domain cannot. */
export const toCookieName = (id: string, isSecure: boolean) => `${isSecure ? '__Host-' : ''}${NAME}${id}`

const toText = (name: string, value: string, seconds: number) => {
  const words = [`${name}=${value}`, 'HttpOnly', 'SameSite=Strict', 'Path=/', `Max-Age=${seconds}`]
  return [...words, ...(name.startsWith('__Host-') ? ['Secure'] : [])].join('; ')
}

export const endSignInCookie = (name: string) => toText(name, '', 0)

/** Returns the new cookie, and headers that delete the cookies beyond the limit. */
export function signInCookies(before: readonly string[], name: string, value: string, seconds: number): string[] {
  const ended = before.slice(0, -(KEPT_MAX - 1)).map(cookie => endSignInCookie(cookie.split('=', 1)[0] ?? ''))
  return [toText(name, value, seconds), ...ended]
}

/** Returns the value of the cookie with this name, or null. */
export const findSignInCookie = (cookies: readonly string[], name: string): string | null =>
  cookies.find(cookie => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
