/** Failures of PostgreSQL and of the connection to it; part of the table in storage-failure.ts. */
import type { FailureOfCodes } from './storage-failure.ts'

const AGAIN = 'Try again later; if this lasts, tell the operator.'

/** TLS errors of Node. */
const TLS =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_\w+|ERR_SSL_\w+|POSTGRES_NO_TLS)$/

export const POSTGRES_FAILURES: readonly FailureOfCodes[] = [
  {
    kind: 'full',
    codes: /^53100$/,
    code: 'storage_full',
    retryAfterSeconds: 30,
    forCallers: 'The database has no disk space left: nothing can be stored. Tell the operator.',
    forOperators: place =>
      `${place} cannot grow: no space is left on its disk. Free some; a running server then goes on by itself.`,
  },
  {
    kind: 'connections',
    codes: /^53300$/,
    code: 'unavailable',
    retryAfterSeconds: 2,
    forCallers: `The database has too many connections. ${AGAIN}`,
    forOperators: place =>
      `${place} has as many connections as it may. Raise its max_connections, or lower SERVICE_DATABASE_POSTGRESQL_POOL_SIZE or the number of server processes.`,
  },
  {
    kind: 'restarting',
    codes: /^57P0[1-5]$/,
    code: 'unavailable',
    retryAfterSeconds: 2,
    forCallers: `The database is restarting. ${AGAIN}`,
    forOperators: place => `${place} is starting, or shuts down. Wait a moment; a running server then goes on by itself.`,
  },
  {
    kind: 'unreachable',
    codes: /^(POSTGRES_(DISCONNECTED|E\w+)|08\w{3})$/,
    code: 'unavailable',
    retryAfterSeconds: 2,
    forCallers: `The database cannot be reached. ${AGAIN}`,
    forOperators: place =>
      `${place} cannot be reached. Check that it runs, that SERVICE_DATABASE_URL has the right host and port, and that no firewall is in between.`,
  },
  {
    kind: 'tls',
    codes: TLS,
    code: 'unavailable',
    retryAfterSeconds: 30,
    forCallers: `The database cannot be reached. ${AGAIN}`,
    forOperators: place =>
      `${place} cannot be reached with TLS. Check its certificate, and \`sslmode\` and \`sslrootcert\` in SERVICE_DATABASE_URL.`,
  },
  {
    kind: 'refused',
    codes: /^(28P01|28000|POSTGRES_NO_PASSWORD)$/,
    code: 'unavailable',
    retryAfterSeconds: 30,
    forCallers: `The database refuses the server. ${AGAIN}`,
    forOperators: place =>
      `${place} refuses the user or the password of SERVICE_DATABASE_URL, or wants TLS (add \`?sslmode=require\`).`,
  },
  {
    kind: 'missing',
    codes: /^3D000$/,
    code: 'unavailable',
    retryAfterSeconds: 30,
    forCallers: `The database does not exist. ${AGAIN}`,
    forOperators: place => `${place} does not exist. Create it with \`createdb\`, or correct SERVICE_DATABASE_URL.`,
  },
  {
    kind: 'rights',
    codes: /^42501$/,
    code: 'unavailable',
    retryAfterSeconds: 30,
    forCallers: `The database cannot be written to. ${AGAIN}`,
    forOperators: place =>
      `${place} does not let this user create or change tables. Make the user its owner: \`alter database … owner to …\`.`,
  },
  {
    kind: 'readonly',
    codes: /^25006$/,
    code: 'unavailable',
    retryAfterSeconds: 10,
    forCallers: `The database cannot be written to. ${AGAIN}`,
    forOperators: place => `${place} is read-only: it may be a standby. Point SERVICE_DATABASE_URL to the primary server.`,
  },
  {
    kind: 'slow',
    codes: /^(57014|55P03|25P03)$/,
    code: 'unavailable',
    retryAfterSeconds: 5,
    forCallers: `The database takes too long to answer. ${AGAIN}`,
    forOperators: place =>
      `${place} took longer than SERVICE_DATABASE_POSTGRESQL_TIMEOUT for a statement or a lock. Look at pg_stat_activity for what holds it up.`,
  },
  {
    kind: 'resources',
    codes: /^(53\w{3}|58030)$/,
    code: 'unavailable',
    retryAfterSeconds: 10,
    forCallers: `The database lacks memory or its disk does not work as it should. ${AGAIN}`,
    forOperators: place => `${place} lacks memory, or cannot read or write its disk. Its own log tells more.`,
  },
  {
    kind: 'damaged',
    codes: /^XX00[12]$/,
    code: 'unavailable',
    retryAfterSeconds: 60,
    forCallers: 'The database is damaged. Tell the operator.',
    forOperators: place => `${place} is damaged. Its own log tells more. Restore a backup.`,
  },
]
