/** Longest path that is remembered while somebody signs in. */
const LENGTH_MAX = 1_000

/** No backslash, which browsers read as a slash, no white space or control character, which they drop. */
const PATH = /^\/[^\\\s\p{Cc}]*$/u

/** Between slashes: nothing, which with the slash before it begins a host name, or dots, which move to another folder. */
const ODD_PART = /\/(?:\/|(?:\.|%2e){1,2}(?:\/|$))/i

/** The text if it is a path of this server, `/` otherwise: where a person is sent after signing in is never another site. */
export function toOwnPath(given: unknown): string {
  if (typeof given !== 'string' || given.length > LENGTH_MAX || !PATH.test(given)) return '/'
  const [path = ''] = given.split(/[?#]/, 1)
  return ODD_PART.test(path) ? '/' : given
}
