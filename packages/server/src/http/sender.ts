/** Where a request comes from, as far as its headers and its connection tell: small plain values, which cross threads. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { type TrustedProxies, toLimited } from '../lib/addresses.ts'
import { hashSecret } from '../lib/secrets.ts'
import { readDeviceProof, readSessionSecret } from './session-cookie.ts'
import { readSignIns } from './sign-in-cookie.ts'

const USER_AGENT_MAX = 200

export interface Sender {
  /** Where the request comes from, as far as it can be trusted: by this sign-ins are limited. An IPv6 client is its /64. */
  address: string
  userAgent: string | null
  /** Over TLS, to us or to the proxy before us. */
  isSecure: boolean
  /** A browser tells that a page of another origin sent it. */
  isForeign: boolean
  /** Of the secret in the session cookie. Whether there is such a session is looked up where it matters. */
  sessionHash: string | null
  /** What the device cookie says. Whether it is true is checked where somebody signs in. */
  deviceProof: string | null
  /** The host that the browser asked, with its port; null when the header is not one. A proxy's word counts if the proxy is trusted. */
  host: string | null
  /** A browser opens it as a page, so that a person sees the answer. */
  isPage: boolean
  /** Cookies of sign-ins with a provider that have begun and not ended: `name=value`, oldest first. */
  signIns: readonly string[]
}

export function readSender({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, proxies: TrustedProxies): Sender {
  const secret = readSessionSecret(headers)
  return {
    address: toLimited(proxies.clientAddress(socket.remoteAddress, toText(headers['x-forwarded-for']))),
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_MAX) || null,
    isSecure: firstOf(headers['x-forwarded-proto'])?.toLowerCase() === 'https' || (socket as TLSSocket).encrypted === true,
    isForeign: isForeign(headers),
    sessionHash: secret === null ? null : hashSecret(secret),
    deviceProof: readDeviceProof(headers),
    host: readHost(headers, proxies.isTrusted(socket.remoteAddress)),
    isPage: headers['sec-fetch-mode'] === 'navigate',
    signIns: readSignIns(headers),
  }
}

/**
 * `Sec-Fetch-Site` is the browser's own word, which no page can change, and holds behind every proxy. Browsers send it to
 * secure addresses; elsewhere `Origin` is compared with the host that was asked.
 */
function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  if (origin === undefined) return false
  const hosts = [headers.host, firstOf(headers['x-forwarded-host'])].map(host => host?.toLowerCase())
  return !URL.canParse(origin) || !hosts.includes(new URL(origin).host)
}

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

function readHost(headers: IncomingHttpHeaders, isProxyTrusted: boolean): string | null {
  const forwarded = isProxyTrusted ? firstOf(headers['x-forwarded-host']) : ''
  const host = forwarded || headers.host || ''
  return host.length <= 260 && HOST.test(host) ? host.toLowerCase() : null
}

const toText = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join(',') : header)

/** Each proxy on the way adds its own at the end. */
const firstOf = (header: string | string[] | undefined) =>
  String(header ?? '')
    .split(',')[0]
    ?.trim()
