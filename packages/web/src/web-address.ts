/** URLs in user data. URLs of this server are rejected, because the browser would send the user's cookies with the request. */

/** The URL parser has already normalised spellings such as `127.1` and `0x7f000001`. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]{1,4}|0:0)\])$/

const withoutDot = (hostname: string) => hostname.toLowerCase().replace(/\.$/, '')

/** Compares host names only, because cookies are sent to every port of a host. */
export function isOwnHost(hostname: string, pageHostname = globalThis.location?.hostname ?? ''): boolean {
  const [name, own] = [withoutDot(hostname), withoutDot(pageHostname)]
  return name === own || (LOOPBACK.test(name) && LOOPBACK.test(own))
}

/**
 * Returns the absolute http or https URL of another host, or null. Two slashes are required, because browsers resolve
 * `http:/path` relative to the page's own URL.
 */
export function toForeignUrl(text: string): URL | null {
  const url = /^\s*https?:[\\/]{2}/i.test(text) ? URL.parse(text) : null
  return url !== null && /^https?:$/.test(url.protocol) && !isOwnHost(url.hostname) ? url : null
}

/**
 * Returns the host of `images.example` or `https://images.example/a.png`, with its port unless it is the default port. Returns
 * null for other texts.
 */
export function toHost(text: string): string | null {
  const given = text.trim()
  const url = URL.parse(/^https?:\/\//i.test(given) ? given : `https://${given}`)
  const isBare = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && /^[\w.:[\]-]+$/.test(url.host)
  return isBare ? url.host : null
}

/** Validates hosts from storage or metadata and drops invalid ones. */
export const toHosts = (stored: unknown): string[] =>
  Array.isArray(stored) ? stored.flatMap(host => (typeof host === 'string' ? (toHost(host) ?? []) : [])) : []
