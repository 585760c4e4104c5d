/** Checks that the files in deploy/ match the server. */
import { randomBytes } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONTRACTS } from '@postil/domain/api/all'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../packages/server/src/config.ts'
import { METRICS, type MetricInfo } from '../../packages/server/src/metrics/catalog.ts'
import type { Setting } from '../../packages/server/src/setting-kinds.ts'
import { SETTINGS } from '../../packages/server/src/settings.ts'

const FOLDER = fileURLToPath(new URL('../../deploy/', import.meta.url))
const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8')

type Json = { [key: string]: Json } & Json[] & string
const manifests = globSync('kubernetes/*.yaml', { cwd: FOLDER }).flatMap(path => {
  const documents = parseAllDocuments(read(path))
  for (const { errors } of documents) expect(errors).toEqual([])
  return documents.map(document => document.toJS() as Json)
})
const compose = parse(read('compose.yaml'), { merge: true }) as Json
const ofKind = (kind: string) => manifests.filter(manifest => String(manifest.kind) === kind)
const named = (kind: string, name: string) => {
  const found = ofKind(kind).find(({ metadata }) => String(metadata?.name) === name)
  if (!found) throw new Error(`no ${kind} ${name}`)
  return found
}

const OWNER = ['USERNAME', 'PASSWORD', 'API_KEY', 'WORKSPACE']
const KNOWN = new Set([...Object.values<Setting>(SETTINGS).map(({ name }) => `SERVICE_${name}`), ...OWNER])
const PORT = String(SETTINGS.port.fallback)

/** Environment of each container: from its ConfigMap and Secret, and from the container itself. */
const podTemplates = [...ofKind('Deployment'), ...ofKind('Job')].map(({ metadata, spec }) => ({
  name: String(metadata?.name),
  spec: spec?.template?.spec as Json,
}))
const dataOf = (values: Json | undefined) =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, String(value)]))
const shared = { ...dataOf(named('ConfigMap', 'postil').data), ...dataOf(named('Secret', 'postil').stringData) }
const ownEnv = (container: Json | undefined) =>
  Object.fromEntries([...(container?.env ?? [])].map(({ name, value }) => [String(name), String(value)]))

/** Replaces the variables that compose fills in. */
const filled = (env: Json | undefined) =>
  Object.fromEntries(
    Object.entries(env ?? {}).map(([name, value]) => [name, String(value).replace(/\$\{\w+\}/g, 'x'.repeat(44))]),
  )

const postilServices = Object.entries(compose.services ?? {}).filter(([, { image }]) => String(image).includes('postil:'))

describe('settings', () => {
  test.each([
    ...podTemplates.map(({ name, spec }) => ({ name, env: { ...shared, ...ownEnv(spec.containers?.[0]) } })),
    ...postilServices.map(([name, { environment }]) => ({ name: `${name} of compose`, env: filled(environment) })),
  ])('of $name are known and have values that the server accepts', ({ env }) => {
    expect(Object.keys(env).filter(name => !KNOWN.has(name))).toEqual([])
    const config = readConfig({ ...env, SERVICE_AUTH_SECRET_KEY: randomBytes(32).toString('base64') })
    expect(config.warnings).toEqual([])
    expect([config.databaseUrl === null, config.searchEngine]).toEqual([false, 'opensearch'])
  })

  test('of the image are known', () => {
    const [, line = ''] = /^ENV (.+)$/m.exec(read('Dockerfile')) ?? []
    const names = line.split(' ').map(pair => pair.split('=')[0] ?? '')
    // For the command line: where it stores credentials.
    const others = new Set(['NODE_ENV', 'SERVICE_CACHE_DIR'])
    expect(names.filter(name => !others.has(name) && !KNOWN.has(name))).toEqual([])
  })

  test('that compose asks for are in its example', () => {
    const asked = [...read('compose.yaml').matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
    const given = [...read('compose.env.example').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name)
    expect(given.toSorted()).toEqual([...new Set(asked)].toSorted())
  })
})

describe('ports', () => {
  test('are the one that the server listens on', () => {
    expect(read('Dockerfile')).toContain(`SERVICE_PORT=${PORT}`)
    expect(read('Dockerfile')).toContain(`EXPOSE ${PORT}`)
    expect(read('healthcheck.mjs')).toContain(`SERVICE_PORT = '${PORT}'`)
    const [container] = named('Deployment', 'postil').spec?.template?.spec?.containers ?? []
    expect(container?.ports).toEqual([{ name: 'http', containerPort: Number(PORT) }])
    expect(named('Service', 'postil').spec?.ports).toMatchObject([{ targetPort: 'http' }])
    for (const path of globSync('nginx/*.conf', { cwd: FOLDER })) {
      const servers = [...read(path).matchAll(/^\s+server [\w.-]+:(\d+)/gm)].map(([, port]) => port)
      expect([path, ...new Set(servers)]).toEqual([path, PORT])
    }
  })

  test('of nginx lead to servers that compose starts', () => {
    const hosts = [...read('nginx/postil.conf').matchAll(/^\s+server ([\w-]+):/gm)].map(([, host = '']) => host)
    expect(hosts.filter(host => !(host in (compose.services ?? {})))).toEqual([])
  })
})

describe('probes', () => {
  const paths = CONTRACTS.filter(({ method, auth }) => method === 'GET' && !auth).map(({ path }) => path)

  test('ask routes that exist and need no credentials', () => {
    const [container] = named('Deployment', 'postil').spec?.template?.spec?.containers ?? []
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(name => container?.[name]?.httpGet)
    expect(probes.map(probe => String(probe?.port))).toEqual(['http', 'http', 'http'])
    expect(probes.filter(probe => !paths.includes(String(probe?.path)))).toEqual([])
    expect(paths).toContain('/api/v1/health/ready')
    expect(read('healthcheck.mjs')).toContain('api/v1/health/ready')
  })

  test('leave a server that stops the time that it takes', () => {
    const delay = Number(shared.SERVICE_STOP_DELAY_SECONDS)
    const server = named('Deployment', 'postil').spec?.template?.spec
    expect(Number(server?.terminationGracePeriodSeconds)).toBeGreaterThanOrEqual(delay + 5 + 30)
    const { periodSeconds, failureThreshold } = (server?.containers?.[0]?.readinessProbe ?? {}) as Record<string, unknown>
    expect(delay).toBeGreaterThan(Number(periodSeconds) * Number(failureThreshold))
  })
})

test('the guide has every metric as the source describes it', () => {
  const guide = readFileSync(join(FOLDER, '../docs/guide/operate.md'), 'utf8')
  const toRow = ([name, { type, labels, about, shared }]: [string, MetricInfo]) =>
    `| \`${name}\`${shared ? ' *' : ''} | ${type} | ${labels.map(label => `\`${label}\``).join(', ')} | ${about} |`
  const rows = guide.split('\n').filter(line => /^\| `(postil|process|nodejs)_/.test(line))
  expect(rows).toEqual(Object.entries<MetricInfo>(METRICS).map(toRow))
})

describe('containers', () => {
  test.each(podTemplates)('of $name are not root and cannot change their files', ({ spec }) => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
    expect(spec.containers?.[0]?.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    const mounted = [...(spec.containers?.[0]?.volumeMounts ?? [])].map(({ name }) => String(name))
    expect([...(spec.volumes ?? [])].map(({ name }) => String(name))).toEqual(mounted)
  })

  test('are selected by labels that their pods have', () => {
    for (const { spec } of ofKind('Deployment')) expect(spec?.template?.metadata?.labels).toEqual(spec?.selector?.matchLabels)
    const pods = named('Deployment', 'postil').spec?.template?.metadata?.labels
    expect(named('Service', 'postil').spec?.selector).toEqual(pods)
    expect(named('PodDisruptionBudget', 'postil').spec?.selector?.matchLabels).toEqual(pods)
    expect(named('Ingress', 'postil').spec?.rules).toMatchObject([
      { http: { paths: [{ backend: { service: { name: 'postil', port: { name: 'http' } } } }] } },
    ])
  })
})

test('a Space asks the port that the server listens on', () => {
  const [, front = ''] = read('spaces/README.md').split('---\n')
  expect(parse(front)).toMatchObject({ sdk: 'docker', app_port: Number(PORT) })
})
