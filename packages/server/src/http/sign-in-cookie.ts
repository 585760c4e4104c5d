/**
 * The cookies of sign-ins with a provider that have begun: one for each, so that several tabs do not disturb each other. What a cookie
 * holds is sealed (`features/oauth2/attempt.ts`).
 */
import type { IncomingHttpHeaders } from 'node:http'

const NAME = 'postil_sign_in_'
const COOKIE = /^(?:__Host-)?postil_sign_in_[0-9a-f]{16}=[\w-]{0,4000}$/
/** More than these are not begun at once by one person. The oldest give way: otherwise they would fill the header. */
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

/** `__Host-`: only this host, over TLS, can set it; not a neighbour under the same domain. */
export const toCookieName = (id: string, isSecure: boolean) => `${isSecure ? '__Host-' : ''}${NAME}${id}`

const toText = (name: string, value: string, seconds: number) => {
  const words = [`${name}=${value}`, 'HttpOnly', 'SameSite=Strict', 'Path=/', `Max-Age=${seconds}`]
  return [...words, ...(name.startsWith('__Host-') ? ['Secure'] : [])].join('; ')
}

export const endSignInCookie = (name: string) => toText(name, '', 0)

/** The new cookie, and the ends of those that are too many with it. */
export function signInCookies(before: readonly string[], name: string, value: string, seconds: number): string[] {
  const ended = before.slice(0, -(KEPT_MAX - 1)).map(cookie => endSignInCookie(cookie.split('=', 1)[0] ?? ''))
  return [toText(name, value, seconds), ...ended]
}

/** What the cookie of this name holds, or null. */
export const findSignInCookie = (cookies: readonly string[], name: string): string | null =>
  cookies.find(cookie => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
