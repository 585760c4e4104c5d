/**
 * Schemathesis against a real server: valid and invalid requests generated from the API description. No response is a 5xx, and
 * every response has a status, a content type and a shape from the description.
 *
 * The seed is fixed, so that two runs send the same requests; POSTIL_FUZZ_SEED and POSTIL_FUZZ_EXAMPLES extend the search.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { prepareSchemathesis } from '../../scripts/schemathesis.ts'
import { caller, openOwnWorld, type World } from '../contract/http.ts'
import { ALL_ON } from '../contract/shared-servers.ts'
import { seedRequests } from './requests.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HOOKS_FOLDER = fileURLToPath(new URL('.', import.meta.url))
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]
/**
 * The event stream never ends, a new API key would invalidate the one in use, and the fuzzer would follow the redirect to a
 * sign-in provider.
 */
const EXCLUDED = ['streamMyDatasetEvents', 'rotateMyApiKey', 'beginOAuthSignIn']
/**
 * Maximum number of requests per operation; lower for callers who are mostly refused. Few, because the seed makes them the same in
 * each run: new ones are looked for by hand.
 */
const ROLES = [
  { role: 'owner', examplesMax: 6 },
  { role: 'memberAnnotator', examplesMax: 4 },
  { role: 'nobody', examplesMax: 2 },
] as const
/** Several times the duration of a run on an idle machine. */
const RUN_TIMEOUT_MS = 550_000
const FAILURES_MAX = 20
const OUTPUT_SHOWN_MAX = 40_000

const python = process.env.POSTIL_TEST_SCHEMATHESIS ?? findPython()
const seed = process.env.POSTIL_FUZZ_SEED ?? '1'

let world: World
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postil-fuzz-'))
  world = await openOwnWorld(ALL_ON)
})
afterEach(async () => {
  await world?.close()
  await rm(folder, { recursive: true, force: true })
})

describe('answers to requests made from the API description are no 5xx and of the shape described', () => {
  test.each(ROLES)('for $role', async ({ role, examplesMax }) => {
    await writeFile(join(folder, 'requests.json'), JSON.stringify(await seedRequests(world)))
    const given = Number(process.env.POSTIL_FUZZ_EXAMPLES ?? examplesMax)
    const key = role === 'owner' ? await becomeLastOwner() : world[role].key
    const { code, output } = await runSchemathesis(key, given)
    if (code !== 0) throw new Error(`Schemathesis ended with code ${code}.\n${output.slice(-OUTPUT_SHOWN_MAX)}`)
  })
})

/** Returns the key of the only owner, whom no request can delete or demote. */
async function becomeLastOwner(): Promise<string> {
  const key = world.server.env.API_KEY ?? ''
  await caller(world.server.url, key).done(`PATCH /users/${world.owner.id}`, { role: 'admin' })
  return key
}

async function runSchemathesis(key: string | null, examplesMax: number): Promise<{ code: number | null; output: string }> {
  const args = [
    ...['-m', 'schemathesis.cli', 'run', `${world.server.url}/api/v1/openapi.json`],
    // Without the coverage phase, which takes a tenth of a second to generate each value of the larger bodies.
    ...['--checks', CHECKS.join(','), '--phases', 'examples,fuzzing', '--workers', '1'],
    ...['--max-examples', String(examplesMax), '--seed', seed, '--generation-database', 'none'],
    // Random credentials only cause parser errors or 401, and hide the behaviour of the routes.
    ...['--generation-with-security-parameters', 'false', '--request-timeout', '60'],
    // Health checks measure time, which mostly depends on the machine.
    ...['--suppress-health-check', 'all', '--max-failures', String(FAILURES_MAX), '--warnings', 'off', '--no-color'],
    ...EXCLUDED.flatMap(id => ['--exclude-operation-id', id]),
    ...(key === null ? [] : ['--header', `X-Argilla-Api-Key: ${key}`]),
  ]
  const env = {
    ...process.env,
    SCHEMATHESIS_HOOKS: 'hooks',
    PYTHONPATH: HOOKS_FOLDER,
    POSTIL_FUZZ_REQUESTS: join(folder, 'requests.json'),
    NO_PROXY: '127.0.0.1',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUTF8: '1',
  }
  const child = spawn(python, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: RUN_TIMEOUT_MS })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject).once('close', resolve)
  return { code: await promise, output }
}

function findPython(): string {
  const tool = prepareSchemathesis(ROOT)
  if ('reason' in tool) throw new Error(tool.reason)
  return tool.python
}
