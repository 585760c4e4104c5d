/** Search settings: a part of `SETTINGS`, and the client configuration of a search cluster. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { boolean, bytes, choice, integer, type Setting, text } from './setting-kinds.ts'

export type ClusterName = 'elasticsearch' | 'opensearch'

const DEFAULT_URL = 'http://localhost:9200'

const secretText = (name: string, about: string): Setting<string | null> => ({ ...text(name, null, about), secret: true })

/** Accepts credentials in the URL; a path is that of a proxy in front of the engine. */
function toEngineUrl(given: string): string | undefined {
  const url = URL.parse(given)
  const isPlain = url && /^https?:$/.test(url.protocol) && url.search + url.hash === ''
  return isPlain && isDecodable(url.username) && isDecodable(url.password) ? given : undefined
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const toFile = (given: string): string | undefined =>
  statSync(resolve(given), { throwIfNoEntry: false })?.isFile() ? resolve(given) : undefined

/** Accepts what both engines allow at the beginning of an index name. */
const toIndexPrefix = (given: string): string | undefined => (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(given) ? given : undefined)

/** Settings of a search cluster, without effect for the embedded engine. */
export const CLUSTER_SETTINGS = {
  clusterUrl: {
    name: 'ELASTICSEARCH',
    about: 'URL of Elasticsearch or OpenSearch. Credentials may be part of it: `https://user:password@search.example:9200`.',
    expected: 'a URL that begins with `http://` or `https://`',
    fallback: null,
    fallbackText: `\`${DEFAULT_URL}\``,
    secret: true,
    read: toEngineUrl,
  } as Setting<string | null>,
  clusterUsername: text('ELASTICSEARCH_USERNAME', null, 'User name for the search cluster, if the URL has none.'),
  clusterPassword: secretText('ELASTICSEARCH_PASSWORD', 'Password of that user.'),
  clusterApiKey: secretText(
    'ELASTICSEARCH_API_KEY',
    'API key for the search cluster, encoded as it was issued. Used instead of a user name.',
  ),
  clusterSslVerify: boolean('ELASTICSEARCH_SSL_VERIFY', true, 'Verify the certificate of the search cluster.'),
  clusterCaPath: {
    name: 'ELASTICSEARCH_CA_PATH',
    about: 'File with the certificates of the authorities that may have signed the certificate of the search cluster, as PEM.',
    expected: 'the path of a file that exists',
    fallback: null,
    fallbackText: 'the authorities that Node.js knows',
    read: toFile,
  } as Setting<string | null>,
  clusterTimeoutSeconds: integer(
    'ELASTICSEARCH_TIMEOUT',
    30,
    [1, 600],
    'Seconds that one request to the search cluster may take.',
  ),
  clusterIndexPrefix: {
    name: 'ES_INDEX_PREFIX',
    about:
      'Beginning of the names of all indexes. Servers with different databases that share a search cluster need different ones.',
    expected: 'up to 64 of `a` to `z`, digits, `-` and `_`, beginning with a letter or digit',
    fallback: 'postil',
    read: toIndexPrefix,
  } as Setting<string>,
  clusterShards: integer('ES_RECORDS_INDEX_SHARDS', 1, [1, 1024], 'Primary shards of each new index.'),
  clusterReplicas: integer('ES_RECORDS_INDEX_REPLICAS', 0, [0, 100], 'Copies of each shard of a new index.'),
  clusterFieldsMax: integer('ES_MAPPING_TOTAL_FIELDS_LIMIT', 2_000, [100, 100_000], 'Fields that an index may have.'),
}

export const SEARCH_SETTINGS = {
  searchMemoryBytes: bytes(
    'SEARCH_MEMORY',
    '1GiB',
    ['16MiB', '1TiB'],
    'Memory for the search indexes of all datasets. What was not used for longest is dropped, and read again when it is needed. One search takes what it needs, also beyond this.',
  ),
  searchEngine: choice(
    'SEARCH_ENGINE',
    ['embedded', 'elasticsearch', 'opensearch'],
    'embedded',
    'Where records are indexed for search: in the server itself, in Elasticsearch (8.5 or newer) or in OpenSearch (2.4 or newer).',
  ),
  searchWaitSeconds: integer(
    'SEARCH_WAIT_SECONDS',
    8,
    [1, 60],
    'Seconds that a search waits for the search cluster to index the newest changes; then it is answered with 503.',
  ),
  ...CLUSTER_SETTINGS,
}

/** Connection to the search cluster, and settings of its indexes. */
export interface ElasticConfig {
  name: ClusterName
  /** Without credentials. */
  url: string
  auth: { username: string; password: string } | { apiKey: string } | null
  sslVerify: boolean
  caPath: string | null
  timeoutMs: number
  /** How long a search waits for the newest changes. */
  waitMs: number
  indexPrefix: string
  shards: number
  replicas: number
  fieldsMax: number
}

type Values = { [K in keyof typeof SEARCH_SETTINGS]: (typeof SEARCH_SETTINGS)[K] extends Setting<infer T> ? T : never }

/** Returns null for the embedded engine. */
export function toElasticConfig(values: Values, problems: string[]): ElasticConfig | null {
  const { searchEngine } = values
  if (searchEngine === 'embedded') return null
  const url = new URL(values.clusterUrl ?? DEFAULT_URL)
  const auth = toAuth(values, url, problems)
  url.username = ''
  url.password = ''
  return {
    name: searchEngine,
    url: url.href,
    auth,
    sslVerify: values.clusterSslVerify,
    caPath: values.clusterCaPath,
    timeoutMs: values.clusterTimeoutSeconds * 1000,
    waitMs: values.searchWaitSeconds * 1000,
    indexPrefix: values.clusterIndexPrefix,
    shards: values.clusterShards,
    replicas: values.clusterReplicas,
    fieldsMax: values.clusterFieldsMax,
  }
}

function toAuth(
  { clusterApiKey, clusterUsername, clusterPassword }: Values,
  url: URL,
  problems: string[],
): ElasticConfig['auth'] {
  if (clusterApiKey !== null) return { apiKey: clusterApiKey }
  const username = clusterUsername ?? decodeURIComponent(url.username)
  const password = clusterPassword ?? decodeURIComponent(url.password)
  if (username === '' && password !== '')
    problems.push('SERVICE_ELASTICSEARCH_PASSWORD is set without a user name; expected SERVICE_ELASTICSEARCH_USERNAME too.')
  return username === '' ? null : { username, password }
}

/** Warns if the URL of a cluster is set but not used. */
export function listClusterWarnings(values: Values): string[] {
  if (values.searchEngine !== 'embedded' || values.clusterUrl === null) return []
  return [
    'SERVICE_ELASTICSEARCH has no effect while SERVICE_SEARCH_ENGINE is `embedded`; expected `elasticsearch` or `opensearch` to use it.',
  ]
}
