/** URL of the server, derived from the URL of this script, so that the same build works under any base path. */
const script = new URL(import.meta.url)

/** Ends with a slash: `/` or `/annotations/`. */
export const BASE_PATH = import.meta.env.PROD ? new URL('..', script).pathname : '/'

/** URL prefix of the server without a trailing slash; empty if the server is at the root. */
export const SERVER_URL = BASE_PATH.slice(0, -1)
