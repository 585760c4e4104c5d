import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { configProblems } from './testing/config.ts'

describe('settings that are not given', () => {
  test('have defaults for one machine', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 6900,
      baseUrl: '/',
      homePath: join(homedir(), '.postil'),
      databaseFile: join(homedir(), '.postil', 'postil.db'),
      databaseUrl: null,
      searchEngine: 'embedded',
      sqliteSynchronous: 'full',
      bodyLimitBytes: 64 * 1024 * 1024,
      corsOrigins: ['*'],
      authSecretKey: null,
      authAlgorithm: 'HS256',
      authTokenSeconds: 86_400,
      sessionSeconds: 1_209_600,
      changeLogSeconds: 604_800,
      mediaHosts: ['https:'],
      templateLibraries: null,
      frameAncestors: [],
      trustedProxies: [],
      telemetryUrl: null,
      firstOwner: null,
      space: null,
      reindexDatasets: false,
      warnings: [],
    })
  })

  test('leave at least one reader thread', () => {
    expect(readConfig({}).readerThreads).toBeGreaterThanOrEqual(1)
  })

  test('include those with an empty value', () => {
    expect(readConfig({ SERVICE_PORT: '', SERVICE_HOST: '  ' })).toMatchObject({ port: 6900, host: '127.0.0.1', warnings: [] })
  })
})

test.each([
  { env: { SERVICE_PORT: '7000' }, expected: { port: 7000 } },
  { env: { service_port: '7000' }, expected: { port: 7000 } },
  { env: { ARGILLA_PORT: '7000' }, expected: { port: 7000 } },
  { env: { SERVICE_PORT: '7000', ARGILLA_PORT: '8000' }, expected: { port: 7000 } },
  { env: { ARGILLA_PORT: '8000', service_port: '7000' }, expected: { port: 7000 } },
  { env: { ARGILLA_PORT: 'tcp://10.0.0.7:6900' }, expected: { port: 6900 } }, // a Kubernetes service named argilla
  { env: { SERVICE_PORT: '0' }, expected: { port: 0 } },
  { env: { SERVICE_BASE_URL: 'annotation' }, expected: { baseUrl: '/annotation/' } },
  { env: { SERVICE_BASE_URL: '/a//b' }, expected: { baseUrl: '/a/b/' } },
  { env: { SERVICE_BASE_URL: '/' }, expected: { baseUrl: '/' } },
  { env: { SERVICE_BODY_LIMIT: '64MiB' }, expected: { bodyLimitBytes: 67_108_864 } },
  { env: { SERVICE_BODY_LIMIT: '1.5 kb' }, expected: { bodyLimitBytes: 1500 } },
  { env: { SERVICE_BODY_LIMIT: '1024' }, expected: { bodyLimitBytes: 1024 } },
  { env: { SERVICE_CORS_ORIGINS: '["https://a.example"]' }, expected: { corsOrigins: ['https://a.example'] } },
  { env: { SERVICE_CORS_ORIGINS: '[]' }, expected: { corsOrigins: [] } },
  { env: { SERVICE_MEDIA_HOSTS: 'none' }, expected: { mediaHosts: [] } },
  {
    env: { SERVICE_MEDIA_HOSTS: 'https:  http://a.example:8080/m/' },
    expected: { mediaHosts: ['https:', 'http://a.example:8080/m/'] },
  },
  { env: { SERVICE_MEDIA_HOSTS: '*' }, expected: { mediaHosts: ['*'] } },
  { env: { SERVICE_TEMPLATE_LIBRARIES: '/' }, expected: { templateLibraries: resolve('/') } },
  { env: { SERVICE_FRAME_ANCESTORS: 'https://*.a.example:*' }, expected: { frameAncestors: ['https://*.a.example:*'] } },
  { env: { SERVICE_FRAME_ANCESTORS: 'localhost:8080' }, expected: { frameAncestors: ['localhost:8080'] } },
  { env: { SERVICE_TRUSTED_PROXIES: 'none' }, expected: { trustedProxies: [] } },
  {
    env: { SERVICE_TRUSTED_PROXIES: 'loopback, 10.1.2.3 fd00::/8' },
    expected: { trustedProxies: ['127.0.0.0/8', '::1/128', '10.1.2.3/32', 'fd00::/8'] },
  },
  {
    env: { SERVICE_AUTH_SECRET_KEY: '0123456789abcdef9876543210fedcba' },
    expected: { authSecretKey: '0123456789abcdef9876543210fedcba' },
  },
  { env: { SERVICE_ACCESS_LOG: 'Yes' }, expected: { accessLog: true } },
  { env: { SERVICE_DOCS_ENABLED: 'off' }, expected: { docsEnabled: false } },
  { env: { SERVICE_SQLITE_SYNCHRONOUS: 'NORMAL' }, expected: { sqliteSynchronous: 'normal' } },
  { env: { SERVICE_AUTH_ALGORITHM: 'HS512' }, expected: { authAlgorithm: 'HS512' } },
  { env: { SERVICE_USERS_DB_FILE: 'u.yml' }, expected: { usersFile: 'u.yml' } },
  { env: { SERVICE_LOCAL_AUTH_USERS_DB_FILE: 'u.yml' }, expected: { usersFile: 'u.yml' } },
  { env: { SERVICE_HOME_PATH: '~/notes' }, expected: { homePath: join(homedir(), 'notes') } },
  { env: { SERVICE_HOME_PATH: '/srv/p' }, expected: { homePath: resolve('/srv/p'), databaseFile: resolve('/srv/p/postil.db') } },
  { env: { SERVICE_DATABASE_URL: 'sqlite:///notes.db' }, expected: { databaseFile: resolve('notes.db') } },
  { env: { SERVICE_DATABASE_URL: 'sqlite:////srv/notes.db' }, expected: { databaseFile: resolve('/srv/notes.db') } },
  {
    env: { SERVICE_DATABASE_URL: 'sqlite+aiosqlite:////srv/notes.db?check_same_thread=False' },
    expected: { databaseFile: resolve('/srv/notes.db') },
  },
  { env: {}, expected: { databaseUrl: null } },
  ...['postgresql', 'postgres', 'postgresql+asyncpg', 'postgresql+psycopg2', 'POSTGRESQL'].map(scheme => ({
    env: { SERVICE_DATABASE_URL: `${scheme}://lena:p%40ss@db:5433/notes` },
    expected: { databaseUrl: 'postgresql://lena:p%40ss@db:5433/notes' },
  })),
  {
    env: { SERVICE_DATABASE_URL: 'postgresql+asyncpg://db/notes?ssl=require&prepared_statement_cache_size=0' },
    expected: { databaseUrl: 'postgresql://db/notes?sslmode=require&uselibpqcompat=true' },
  },
  {
    env: { SERVICE_DATABASE_URL: 'postgresql://lena@/notes?host=/run/postgresql' },
    expected: { databaseUrl: 'postgresql://lena@/notes?host=%2Frun%2Fpostgresql' },
  },
  { env: {}, expected: { elastic: null } },
  {
    env: { SERVICE_SEARCH_ENGINE: 'elasticsearch' },
    expected: {
      elastic: { name: 'elasticsearch', url: 'http://localhost:9200/', auth: null, sslVerify: true, shards: 1, replicas: 0 },
    },
  },
  {
    env: { SERVICE_SEARCH_ENGINE: 'opensearch', SERVICE_ELASTICSEARCH: 'https://ann:p%40ss@search.example:9200' },
    expected: { elastic: { url: 'https://search.example:9200/', auth: { username: 'ann', password: 'p@ss' } } },
  },
  {
    env: { SERVICE_SEARCH_ENGINE: 'opensearch', SERVICE_ELASTICSEARCH_USERNAME: 'ann', SERVICE_ELASTICSEARCH_PASSWORD: 'x' },
    expected: { elastic: { auth: { username: 'ann', password: 'x' } } },
  },
  {
    env: { SERVICE_SEARCH_ENGINE: 'elasticsearch', SERVICE_ELASTICSEARCH_API_KEY: 'k' },
    expected: { elastic: { auth: { apiKey: 'k' } } },
  },
  { env: { SERVICE_ENABLE_TELEMETRY: '0' }, expected: { enableTelemetry: false } },
  { env: { HF_HUB_OFFLINE: '1' }, expected: { enableTelemetry: false } },
  { env: { HF_HUB_DISABLE_TELEMETRY: 'true' }, expected: { enableTelemetry: false } },
  { env: { REINDEX_DATASETS: '1' }, expected: { reindexDatasets: true } },
])('$env gives $expected', ({ env, expected }) => {
  expect(readConfig(env)).toMatchObject(expected)
})

describe('a wrong setting is refused with its name, its value and what would be right', () => {
  test.each([
    ['SERVICE_PORT', '65536', 'SERVICE_PORT is `65536`; expected a whole number from 0 to 65535.'],
    ['SERVICE_PORT', '-1', 'SERVICE_PORT is `-1`; expected a whole number from 0 to 65535.'],
    ['ARGILLA_PORT', '6900.5', 'ARGILLA_PORT is `6900.5`; expected a whole number from 0 to 65535.'],
    ['SERVICE_READER_THREADS', '0', 'SERVICE_READER_THREADS is `0`; expected a whole number from 1 to 64.'],
    [
      'SERVICE_SEARCH_ENGINE',
      'elastic',
      'SERVICE_SEARCH_ENGINE is `elastic`; expected one of: embedded, elasticsearch, opensearch.',
    ],
    [
      'SERVICE_ELASTICSEARCH',
      'ftp://ann:hidden@search.example',
      'SERVICE_ELASTICSEARCH is `ftp://…`; expected a URL that begins with `http://` or `https://`.',
    ],
    [
      'SERVICE_ES_INDEX_PREFIX',
      'Über',
      'SERVICE_ES_INDEX_PREFIX is `Über`; expected up to 64 of `a` to `z`, digits, `-` and `_`, beginning with a letter or digit.',
    ],
    ['SERVICE_AUTH_ALGORITHM', 'RS256', 'SERVICE_AUTH_ALGORITHM is `RS256`; expected one of: HS256, HS384, HS512.'],
    ['SERVICE_SQLITE_SYNCHRONOUS', 'off', 'SERVICE_SQLITE_SYNCHRONOUS is `off`; expected one of: full, normal.'],
    [
      'SERVICE_BASE_URL',
      'https://a.example/x',
      'SERVICE_BASE_URL is `https://a.example/x`; expected a path such as `/annotation/`.',
    ],
    [
      'SERVICE_TEMPLATE_LIBRARIES',
      '/no/such/folder',
      'SERVICE_TEMPLATE_LIBRARIES is `/no/such/folder`; expected the path of a folder that exists.',
    ],
    ['SERVICE_ACCESS_LOG', 'maybe', 'SERVICE_ACCESS_LOG is `maybe`; expected `true` or `false` (or `1`, `0`).'],
  ])('%s=%s', (name, value, problem) => {
    expect(configProblems({ [name]: value })).toEqual([problem])
  })

  test.each(['600MiB', '1000', '64 megabytes', 'MiB', ''.padEnd(20, '9')])('a body limit of %s', value => {
    expect(configProblems({ SERVICE_BODY_LIMIT: value })).toHaveLength(1)
  })

  test.each(['*', 'https://a.example', '"*"', '{}', '[1]', '["https://a.example/path"]'])('CORS origins of %s', value => {
    expect(configProblems({ SERVICE_CORS_ORIGINS: value })).toEqual([expect.stringContaining('expected a JSON list of origins')])
  })

  test.each([
    "https:; script-src 'unsafe-inline'",
    "'unsafe-inline'",
    'https://a.example,https://b.example',
    'https://a.example/;x',
    'none https:',
    'a..example',
    '*.*.example',
    'https://',
  ])('hosts of %s', value => {
    for (const name of ['SERVICE_MEDIA_HOSTS', 'SERVICE_FRAME_ANCESTORS']) {
      expect(configProblems({ [name]: value })).toEqual([
        expect.stringContaining('expected host sources with blanks between them'),
      ])
    }
  })

  test.each([
    'sqlite://',
    'sqlite:///:memory:',
    'postil.db',
    'mysql://lena:hidden@db/x',
    'postgresql://',
    'postgresql://lena:hidden@db:port/x',
    'postgresql://lena:hidden@db/x?sslmode=prefer',
    'postgresql://lena:hidden@db/x?ssl=maybe',
    'postgresql://lena:hidden@db/x?sslmode=verify-ca',
  ])('a database of %s', value => {
    const [problem] = configProblems({ SERVICE_DATABASE_URL: value })
    expect(problem).toContain('expected `sqlite:///<path>` or `postgresql://')
    expect(problem).not.toContain('hidden')
  })

  test.each([
    'guess-me',
    '0123456789'.repeat(3),
    'k'.repeat(64),
    'ü'.repeat(40),
    'change-me '.repeat(4),
    'abcde'.repeat(7),
    '01'.repeat(20) + '0011'.repeat(5),
  ])('a signing key of %s, which is not shown', value => {
    const [problem, ...others] = configProblems({ SERVICE_AUTH_SECRET_KEY: value })
    expect(problem).toMatch(
      /^SERVICE_AUTH_SECRET_KEY is a value not shown here; expected at least 32 bytes.*openssl rand -base64 32/,
    )
    expect([problem, others]).toEqual([expect.not.stringContaining(value), []])
  })

  test.each(['proxy.example', '10.0.0.0/33', '0.0.0.0/0', 'loopback, none', '*'])('trusted proxies of %s', value => {
    expect(configProblems({ SERVICE_TRUSTED_PROXIES: value })).toEqual([expect.stringContaining('expected addresses and ranges')])
  })

  test('a shortest length above the longest', () => {
    expect(configProblems({ SERVICE_MIN_ROLE_LENGTH: '30' })).toEqual([
      'SERVICE_MIN_ROLE_LENGTH is `30`; expected at most SERVICE_MAX_ROLE_LENGTH, which is `20`.',
    ])
  })

  test('background work that is left to workers, without PostgreSQL', () => {
    expect(configProblems({ SERVICE_BACKGROUND_WORK: 'false' })).toEqual([expect.stringContaining('workers need PostgreSQL')])
  })

  test('together with every other wrong one', () => {
    expect(configProblems({ SERVICE_PORT: 'x', SERVICE_LOG_LEVEL: 'loud', USERNAME: 'lena', PASSWORD: 'short' })).toHaveLength(3)
  })
})

test('a hosted space is described by its variables', () => {
  const config = readConfig({ SPACE_ID: 'lena/notes', SPACE_HOST: 'lena-notes.example', PERSISTANT_STORAGE_ENABLED: 'true' })
  expect(config.space).toEqual({
    space_id: 'lena/notes',
    space_title: null,
    space_subdomain: null,
    space_host: 'lena-notes.example',
    space_repo_name: null,
    space_author_name: null,
    space_persistent_storage_enabled: true,
  })
})

describe('warnings', () => {
  test.each([
    { env: { SERVICE_PROT: '7000' }, warnings: ['SERVICE_PROT is not a setting of this server.'] },
    { env: { ARGILLA_ANYTHING: '1' }, warnings: [] },
    { env: { SERVICE_API_KEY: 'for-the-client', ARGILLA_API_URL: 'http://localhost:6900' }, warnings: [] },
    { env: { ARGILLA_REDIS_URL: 'redis://r:6379' }, warnings: ['ARGILLA_REDIS_URL has no effect in this release.'] },
    {
      env: { SERVICE_ELASTICSEARCH: 'http://e:9200' },
      warnings: [
        'SERVICE_ELASTICSEARCH has no effect while SERVICE_SEARCH_ENGINE is `embedded`; expected `elasticsearch` or `opensearch` to use it.',
      ],
    },
    { env: { SERVICE_ELASTICSEARCH: 'http://e:9200', SERVICE_SEARCH_ENGINE: 'opensearch' }, warnings: [] },
    { env: { PASSWORD: '12345678' }, warnings: ['PASSWORD is set without USERNAME: no owner is made from it.'] },
  ])('for $env: $warnings', ({ env, warnings }) => {
    expect(readConfig(env as Record<string, string>).warnings).toEqual(warnings)
  })
})

test('options of a command win over the environment and are checked too', () => {
  expect(readConfig({ SERVICE_PORT: '7000' }, { port: '8000', accessLog: true, host: undefined })).toMatchObject({
    port: 8000,
    accessLog: true,
    host: '127.0.0.1',
  })
  expect(() => readConfig({}, { port: 'x' })).toThrow('SERVICE_PORT is `x`')
})

test('the outcome can be sent to a thread', () => {
  const config = readConfig({ USERNAME: 'lena', PASSWORD: '12345678', SPACE_ID: 'lena/notes' })
  expect(structuredClone(config)).toEqual(config)
})
