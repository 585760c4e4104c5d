/**
 * The table of settings: name, default, valid values and one line for the reference.
 *
 * `config.ts` reads them; `npm run reference` generates `docs/reference/settings.md` from them.
 */
import { statSync } from 'node:fs'
import { availableParallelism, homedir } from 'node:os'
import { join } from 'node:path'
import { DATABASE_SETTINGS } from './database-settings.ts'
import { FILE_SETTINGS } from './file-settings.ts'
import { HUB_SETTINGS } from './hub-settings.ts'
import { LEGACY_SETTINGS } from './legacy-settings.ts'
import { toAddressRanges } from './lib/addresses.ts'
import { toSigningKey } from './lib/signing-key.ts'
import { OAUTH_SETTINGS } from './oauth-settings.ts'
import { OPERATION_SETTINGS } from './operation-settings.ts'
import { SEARCH_SETTINGS } from './search-settings.ts'
import { boolean, bytes, choice, INTEGER_MAX, integer, type Setting, text, toPath } from './setting-kinds.ts'
import { WEBHOOK_SETTINGS } from './webhook-settings.ts'

const toFolder = (given: string): string | undefined =>
  statSync(toPath(given), { throwIfNoEntry: false })?.isDirectory() ? toPath(given) : undefined

function toBaseUrl(given: string): string | undefined {
  return /^[\w\-./~%]*$/.test(given) ? `/${given}/`.replace(/\/{2,}/g, '/') : undefined
}

function toHttpUrl(given: string): string | undefined {
  const url = URL.parse(given)
  return url && /^https?:$/.test(url.protocol) && url.username + url.password === '' ? given : undefined
}

function toOrigins(given: string): string[] | undefined {
  let origins: unknown
  try {
    origins = JSON.parse(given)
  } catch {
    return undefined
  }
  const isOrigin = (origin: unknown): origin is string =>
    typeof origin === 'string' && /^(\*|[a-z][a-z0-9+.-]*:\/\/[^/\s]+)$/i.test(origin)
  return Array.isArray(origins) && origins.every(isOrigin) ? origins : undefined
}

const HOST_SOURCE =
  /^([a-z][a-z0-9+.-]*:|([a-z][a-z0-9+.-]*:\/\/)?(\*|(\*\.)?[\w-]+(\.[\w-]+)*)(:(\d{1,5}|\*))?(\/[\w\-./~%]*)?)$/i

/** Accepts only host sources, because they become part of a header in which `;` and `,` are separators. */
function toHostSources(given: string): string[] | undefined {
  const sources = given === 'none' ? [] : given.split(/\s+/)
  return sources.every(source => source !== 'none' && HOST_SOURCE.test(source)) ? sources : undefined
}

/** Settings by property of `Config`, in the order of the reference. */
export const SETTINGS = {
  host: text('HOST', '127.0.0.1', 'Address that HTTP listens on; `0.0.0.0` for every one of the machine.'),
  port: integer('PORT', 6900, [0, 65_535], 'Port that HTTP listens on; `0` takes a free one.'),
  baseUrl: {
    name: 'BASE_URL',
    about:
      'Path below which everything is served, for a proxy that shares its host. Begins and ends with `/`, added when missing.',
    expected: 'a path such as `/annotation/`',
    fallback: '/',
    read: toBaseUrl,
  } as Setting<string>,
  homePath: {
    name: 'HOME_PATH',
    about: 'Folder of the database and of what the server keeps for itself; made when missing.',
    expected: 'a folder',
    fallback: join(homedir(), '.postil'),
    fallbackText: '~/.postil',
    read: toPath,
  } as Setting<string>,
  ...DATABASE_SETTINGS,
  changeLogSeconds: integer(
    'CHANGE_LOG_SECONDS',
    604_800,
    [60, 315_360_000],
    'Seconds that entries of the change log are kept; 7 days unless set. What follows the log and was away for longer starts from the tables.',
  ),
  auditLogSeconds: integer(
    'AUDIT_LOG_SECONDS',
    31_536_000,
    [0, 3_153_600_000],
    'Seconds that entries of the audit log are kept; a year unless set, `0` for ever.',
  ),
  readerThreads: {
    ...integer(
      'READER_THREADS',
      Math.max(1, availableParallelism() - 1),
      [1, 64],
      'Threads that search and count; one more answers lists.',
    ),
    fallbackText: 'one less than the processor cores, at least 1',
  },
  ...SEARCH_SETTINGS,
  backgroundWork: boolean(
    'BACKGROUND_WORK',
    true,
    'Run jobs, deliveries to webhooks and merges of the search index in the server. With `false`, which needs PostgreSQL, they are left to `postil server worker`.',
  ),
  bodyLimitBytes: bytes(
    'BODY_LIMIT',
    '64MiB',
    ['1KiB', '500MiB'],
    'Largest request body with records or suggestions. Other routes have limits of their own (most 1 MiB, signing in 8 KiB), which this can lower but not raise. All such bodies of one user that are being received or answered may take 128 MiB together, or this limit if it is larger.',
  ),
  corsOrigins: {
    name: 'CORS_ORIGINS',
    about: 'Origins whose pages may call the API. Credentials are never allowed for `*`.',
    expected: 'a JSON list of origins such as `["https://a.example"]`, or `["*"]`',
    fallback: ['*'],
    read: toOrigins,
  } as Setting<string[]>,
  docsEnabled: boolean('DOCS_ENABLED', true, 'Serve the description of the API below `/api/v1`.'),
  logLevel: choice(
    'LOG_LEVEL',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'Least severe level that is logged.',
  ),
  accessLog: boolean('ACCESS_LOG', false, 'Log one line per request.'),
  ...OPERATION_SETTINGS,
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    about:
      'Proxies before this server. Where a connection comes from one of them, sign-ins are limited by the last address of `X-Forwarded-For` that is none of them, and `X-Forwarded-Host` is the host that the browser asked for.',
    expected:
      'addresses and ranges with blanks or commas between them, such as `10.0.0.0/8 ::1`, the words `loopback`, `linklocal` and `uniquelocal`, or `none`',
    fallback: [],
    fallbackText: '`none`',
    read: toAddressRanges,
  } as Setting<string[]>,
  authSecretKey: {
    name: 'AUTH_SECRET_KEY',
    about: 'Signs sign-in tokens. Give the same one to every process of a deployment.',
    expected: 'at least 32 bytes that nobody can guess: make one with `openssl rand -base64 32`',
    fallback: null,
    fallbackText: 'made once, kept in the home path',
    secret: true,
    read: toSigningKey,
  } as Setting<string | null>,
  authAlgorithm: choice('AUTH_ALGORITHM', ['HS256', 'HS384', 'HS512'], 'HS256', 'How sign-in tokens are signed.'),
  authTokenSeconds: integer('AUTH_TOKEN_EXPIRATION', 86_400, [1, INTEGER_MAX], 'Seconds that a sign-in token is valid.'),
  sessionSeconds: integer(
    'SESSION_SECONDS',
    1_209_600,
    [1, 34_560_000],
    'Seconds that a browser stays signed in after it was last used; 14 days unless set.',
  ),
  ...OAUTH_SETTINGS,
  mediaHosts: {
    name: 'MEDIA_HOSTS',
    about:
      'Hosts from which records may load images, sound and video. Those with a name are loaded at once; of others, such as all of `https:`, a lead or a person must allow each host first.',
    expected: 'host sources with blanks between them, such as `https: http://media.example`, or `none`',
    fallback: ['https:'],
    fallbackText: '`https:`',
    read: toHostSources,
  } as Setting<string[]>,
  templateLibraries: {
    name: 'TEMPLATE_LIBRARIES',
    about:
      'Folder with copies of the scripts and styles that custom templates load from elsewhere, each where its address says: `cdn.example/npm/chart.js` for `https://cdn.example/npm/chart.js`.',
    expected: 'the path of a folder that exists',
    fallback: null,
    fallbackText: 'none: templates load nothing',
    read: toFolder,
  } as Setting<string | null>,
  frameAncestors: {
    name: 'FRAME_ANCESTORS',
    about: 'Sites that may show the web UI in a frame of theirs, besides the server itself.',
    expected: 'host sources with blanks between them, such as `https://portal.example`, or `none`',
    fallback: [],
    fallbackText: '`none`',
    read: toHostSources,
  } as Setting<string[]>,
  ...WEBHOOK_SETTINGS,
  ...HUB_SETTINGS,
  ...FILE_SETTINGS,
  usersFile: {
    ...text('USERS_DB_FILE', '.users.yml', 'File of `database users migrate`.'),
    otherName: 'LOCAL_AUTH_USERS_DB_FILE',
  },
  bulkRecordsMax: integer(
    'BULK_MAX_RECORDS',
    10_000,
    [1, 100_000],
    'Records that a person may answer at once, with one answer for all that match.',
  ),
  ...LEGACY_SETTINGS,
  labelOptionsMax: integer('LABEL_SELECTION_OPTIONS_MAX_ITEMS', 500, [2, 100_000], 'Options of a label or multi-label question.'),
  spanOptionsMax: integer('SPAN_OPTIONS_MAX_ITEMS', 500, [1, 100_000], 'Options of a span question.'),
  messageLengthMin: integer('MIN_MESSAGE_LENGTH', 1, [0, INTEGER_MAX], 'Shortest content of a message in a chat field.'),
  messageLengthMax: integer('MAX_MESSAGE_LENGTH', 20_000, [1, INTEGER_MAX], 'Longest content of a message in a chat field.'),
  roleLengthMin: integer('MIN_ROLE_LENGTH', 1, [0, INTEGER_MAX], 'Shortest role of a message in a chat field.'),
  roleLengthMax: integer('MAX_ROLE_LENGTH', 20, [1, INTEGER_MAX], 'Longest role of a message in a chat field.'),
  storageWarning: boolean(
    'SHOW_HUGGINGFACE_SPACE_PERSISTENT_STORAGE_WARNING',
    true,
    'On a hosted space, tell the web UI to warn about storage that does not last.',
  ),
  shareYourProgress: boolean('ENABLE_SHARE_YOUR_PROGRESS', false, 'Serve a page with which annotators can share their progress.'),
  enableTelemetry: boolean(
    'ENABLE_TELEMETRY',
    true,
    'Report anonymous usage, without content, to the telemetry URL. `postil server telemetry show` prints what is reported.',
  ),
  telemetryUrl: {
    name: 'TELEMETRY_URL',
    about: 'Where usage is reported to. Nothing is reported while it is not set.',
    expected: 'an http or https URL without a user name',
    fallback: null,
    secret: true,
    read: toHttpUrl,
  } as Setting<string | null>,
}
