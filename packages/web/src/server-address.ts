/** Where the server answers, read from the address this script came from: the same build works under any base path. */
const script = new URL(import.meta.url)

/** Ends with a slash: `/` or `/annotations/`. */
export const BASE_PATH = import.meta.env.PROD ? new URL('..', script).pathname : '/'

/** Of the server, without a slash at the end; empty when it lies at the root. */
export const SERVER_URL = BASE_PATH.slice(0, -1)
