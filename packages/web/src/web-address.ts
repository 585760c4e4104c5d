/** Addresses in data. Those of this server are refused: the browser would request them with the person's cookies. */

/** The URL parser has already made one spelling of `127.1`, `0x7f000001` and the like. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]{1,4}|0:0)\])$/

const withoutDot = (hostname: string) => hostname.toLowerCase().replace(/\.$/, '')

/** By name only: cookies are sent to every port of a host. */
export function isOwnHost(hostname: string, pageHostname = globalThis.location?.hostname ?? ''): boolean {
  const [name, own] = [withoutDot(hostname), withoutDot(pageHostname)]
  return name === own || (LOOPBACK.test(name) && LOOPBACK.test(own))
}

/**
 * An absolute http or https address of another host, or null. With two slashes: in a page, `http:/path` is relative to the page's
 * own address.
 */
export function toForeignUrl(text: string): URL | null {
  const url = /^\s*https?:[\\/]{2}/i.test(text) ? URL.parse(text) : null
  return url !== null && /^https?:$/.test(url.protocol) && !isOwnHost(url.hostname) ? url : null
}

/** `images.example` or `https://images.example/a.png` as a host, with its port unless it is the default one; null for other texts. */
export function toHost(text: string): string | null {
  const given = text.trim()
  const url = URL.parse(/^https?:\/\//i.test(given) ? given : `https://${given}`)
  const isBare = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && /^[\w.:[\]-]+$/.test(url.host)
  return isBare ? url.host : null
}

/** Storage and metadata may hold anything: what is no host is left out. */
export const toHosts = (stored: unknown): string[] =>
  Array.isArray(stored) ? stored.flatMap(host => (typeof host === 'string' ? (toHost(host) ?? []) : [])) : []
