/** Origin of a request, from its headers and connection: small plain values that can be sent to other threads. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { type TrustedProxies, toRateLimitKey } from '../lib/addresses.ts'
import { hashSecret } from '../lib/secrets.ts'
import { readSignIns } from '../lib/sign-in-cookie.ts'
import { readDeviceProof, readSessionSecret } from './session-cookie.ts'

const USER_AGENT_MAX = 200

export interface Sender {
  /** Client address as far as it can be trusted, used to rate limit sign-ins. An IPv6 client is represented by its /64. */
  address: string
  userAgent: string | null
  /** True if the client uses TLS, to the server or to its proxy. */
  isSecure: boolean
  /** True if browser headers show that a page of another origin sent the request. */
  isForeign: boolean
  /** Hash of the secret in the session cookie. `authenticate` looks up whether the session exists. */
  sessionHash: string | null
  /** Content of the device cookie, which is verified at sign-in. */
  deviceProof: string | null
  /** The requested host with its port; null if the header is invalid. The proxy's header is used if the proxy is trusted. */
  host: string | null
  /** True if a browser opens the URL as a page, so that a person sees the response. */
  isPage: boolean
  /** Cookies of unfinished sign-ins with a provider: `name=value`, oldest first. */
  signIns: readonly string[]
}

export function readSender({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, proxies: TrustedProxies): Sender {
  const secret = readSessionSecret(headers)
  const host = readHost(headers, proxies.isTrusted(socket.remoteAddress))
  return {
    address: toRateLimitKey(proxies.clientAddress(socket.remoteAddress, toText(headers['x-forwarded-for']))),
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_MAX) || null,
    isSecure: firstOf(headers['x-forwarded-proto'])?.toLowerCase() === 'https' || (socket as TLSSocket).encrypted === true,
    isForeign: isForeign(headers, host),
    sessionHash: secret === null ? null : hashSecret(secret),
    deviceProof: readDeviceProof(headers),
    host,
    isPage: headers['sec-fetch-mode'] === 'navigate',
    signIns: readSignIns(headers),
  }
}

/**
 * `Sec-Fetch-Site` is set by the browser, cannot be changed by a page, and is correct behind every proxy. Browsers send it only
 * to secure URLs; otherwise `Origin` is compared with the requested host.
 */
function isForeign(headers: IncomingHttpHeaders, host: string | null): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== host
}

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

function readHost(headers: IncomingHttpHeaders, isProxyTrusted: boolean): string | null {
  const forwarded = isProxyTrusted ? firstOf(headers['x-forwarded-host']) : ''
  const host = forwarded || headers.host || ''
  return host.length <= 260 && HOST.test(host) ? host.toLowerCase() : null
}

const toText = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join(',') : header)

/** Returns the client's value: each proxy appends its own. */
const firstOf = (header: string | string[] | undefined) =>
  String(header ?? '')
    .split(',')[0]
    ?.trim()
