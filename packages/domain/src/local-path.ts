/** Longest path that is stored during sign-in. */
const LENGTH_MAX = 1_000

/** Rejects backslashes, which browsers read as slashes, and white space and control characters, which browsers drop. */
const PATH = /^\/[^\\\s\p{Cc}]*$/u

/** A double slash, which starts a host name, or dot segments, which change the folder. */
const ODD_PART = /\/(?:\/|(?:\.|%2e){1,2}(?:\/|$))/i

/** Returns the text if it is a path of this server, otherwise `/`. Prevents open redirects after sign-in. */
export function toLocalPath(given: unknown): string {
  if (typeof given !== 'string' || given.length > LENGTH_MAX || !PATH.test(given)) return '/'
  const [path = ''] = given.split(/[?#]/, 1)
  return ODD_PART.test(path) ? '/' : given
}
