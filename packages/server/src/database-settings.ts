/** Database settings: a part of `SETTINGS`. */
import { choice, integer, type Setting, toPath } from './setting-kinds.ts'

/** Location of the database: a file, or a PostgreSQL server. */
export type DatabasePlace = { file: string } | { url: string }

/**
 * Parses the common form of database URLs: `sqlite:///relative.db`, `sqlite:////absolute.db`. Parameters after `?` belong to
 * other drivers and are ignored.
 */
function toSqliteFile(given: string): DatabasePlace | undefined {
  const file = /^sqlite(?:\+[a-z0-9_]+)?:\/\/\/([^?]+)/i.exec(given)?.[1]
  // The server's threads cannot share an in-memory database.
  return file === undefined || file.startsWith(':memory:') || file.startsWith('file:') ? undefined : { file: toPath(file) }
}

/** Parameters of a PostgreSQL URL that are used. Those of other drivers, such as cache sizes, are ignored. */
const URL_PARAMETERS = ['host', 'port', 'user', 'password', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'options']
/** Without `allow` and `prefer`, which silently fall back to a connection without TLS. */
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/**
 * Parses `postgresql://user:password@host:port/database?sslmode=require`, also with `postgres://` or a driver such as
 * `postgresql+asyncpg://`.
 */
function toPostgresUrl(given: string): DatabasePlace | undefined {
  const [, rest = '', query = ''] = /^postgres(?:ql)?(?:\+[a-z0-9_]+)?:\/\/([^?#]*)(?:\?([^#]*))?$/i.exec(given) ?? []
  // `?host=` can name a socket, so the URL itself may have no host.
  if (rest === '' || !URL.canParse(`postgresql://${rest.replace(/(^|@)\//, '$1localhost/')}`)) return undefined
  const parameters = new URLSearchParams(query)
  // asyncpg calls `sslmode` `ssl`.
  const mode = parameters.get('sslmode') ?? parameters.get('ssl')
  if (mode !== null) parameters.set('sslmode', mode)
  if (mode !== null && !TLS_MODES.includes(mode)) return undefined
  if (mode === 'verify-ca' && !parameters.has('sslrootcert')) return undefined
  const kept = new URLSearchParams([...parameters].filter(([name]) => URL_PARAMETERS.includes(name)))
  // Without this, the driver treats `require` as `verify-full`.
  if (mode !== null) kept.set('uselibpqcompat', 'true')
  return { url: `postgresql://${rest}${kept.size === 0 ? '' : `?${kept}`}` }
}

export const DATABASE_SETTINGS = {
  database: {
    name: 'DATABASE_URL',
    about:
      'The database: `sqlite:///relative.db`, `sqlite:////absolute.db` or `postgresql://user:password@host:5432/name`, with `?sslmode=require`, `verify-ca` or `verify-full` for TLS. Special characters in names and passwords are percent-encoded.',
    expected:
      '`sqlite:///<path>` or `postgresql://<user>:<password>@<host>:<port>/<database>`, where `sslmode` is one of disable, require, verify-ca (with `sslrootcert`), verify-full',
    fallback: null,
    fallbackText: 'postil.db in the home path',
    secret: true,
    read: given => toSqliteFile(given) ?? toPostgresUrl(given),
  } as Setting<DatabasePlace | null>,
  sqliteSynchronous: choice(
    'SQLITE_SYNCHRONOUS',
    ['full', 'normal'],
    'full',
    'With `full`, what was answered survives a power cut; `normal` writes faster and may lose the last moments, never the file.',
  ),
  sqliteTimeoutSeconds: integer(
    'DATABASE_SQLITE_TIMEOUT',
    5,
    [0, 3600],
    'Seconds to wait while another process holds the database.',
  ),
  postgresPoolSize: integer(
    'DATABASE_POSTGRESQL_POOL_SIZE',
    15,
    [1, 1_000],
    'PostgreSQL: connections of one server process for requests.',
  ),
  postgresMaxOverflow: integer(
    'DATABASE_POSTGRESQL_MAX_OVERFLOW',
    10,
    [0, 1_000],
    'PostgreSQL: connections beyond the pool size. A process never opens more than both numbers together.',
  ),
  postgresTimeoutSeconds: integer(
    'DATABASE_POSTGRESQL_TIMEOUT',
    30,
    [1, 3600],
    'PostgreSQL: seconds that one statement of a request may take, or wait for a lock, before it is ended with 503. Migrations have no limit.',
  ),
}
