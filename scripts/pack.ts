/**
 * `npm run pack`: creates one npm package with everything that runs, `dist/postil-<version>.tgz`, and that of the TypeScript client.
 * The first contains the bundles of the server, the command line and the web UI; only the two dependencies with binaries are
 * installed with it.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildCli } from './build-cli.ts'
import { buildServer, NATIVE } from './build-server.ts'
import { buildWeb } from './build-web.ts'
import { packClient } from './pack-client.ts'
import { packFolder } from './pack-folder.ts'
import { ROOT } from './stamp.ts'

const STAGE = join(ROOT, 'dist/package')
const COMMAND = 'packages/cli/dist/main.js'

/** Same as in deploy/Dockerfile. The bundle reads a few files of `src`, and stack traces refer to the sources. */
const CONTENT = [
  'LICENSE',
  'NOTICE',
  'packages/server/package.json',
  'packages/server/dist',
  'packages/server/src',
  'packages/web/dist',
  'packages/cli/package.json',
  'packages/cli/dist',
]
const isForTests = (path: string) => /\.(test|contract)\.ts$|\/testing$/.test(path)

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

function toManifest() {
  const { version, license, dependencies } = readJson('packages/server/package.json')
  return {
    name: 'postil',
    version,
    description: 'A server where teams collect human feedback on data',
    license,
    type: 'module',
    bin: { postil: COMMAND },
    engines: { node: '>=22.18' },
    dependencies: Object.fromEntries(NATIVE.map(name => [name, dependencies[name]])),
  }
}

const README = `# Postil

A server where teams collect human feedback on data, with database, full-text search, vector search and web UI in one process.
In the folder where this package is installed,

    npx postil start

serves on http://127.0.0.1:6900 and prints how to sign in. \`npx postil --help\` lists all commands.
`

interface Component {
  'bom-ref': string
  properties?: { name: string }[]
}

/** Writes a CycloneDX document of the bundled and installed packages. `--omit dev` would omit bundled ones. */
function writeSbom(): string {
  // `--include dev`, because npm omits them if NODE_ENV is `production`.
  const args = ['sbom', '--package-lock-only', '--include', 'dev', '--sbom-format', 'cyclonedx']
  const sbom = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' }))
  const isUsed = ({ properties = [] }: Component) => properties.every(({ name }) => name !== 'cdx:npm:package:development')
  const components: Component[] = sbom.components.filter(isUsed)
  const refs = new Set(components.map(component => component['bom-ref']))
  const dependencies = sbom.dependencies.filter(({ ref }: { ref: string }) => refs.has(ref))
  return `${JSON.stringify({ ...sbom, components, dependencies }, null, 2)}\n`
}

/** Fails if a bundled package has no known licence or text, or if a text is missing in the file. */
function checkNotices(): void {
  // NODE_ENV of a test runner would change the build.
  const { NODE_ENV: _, ...env } = process.env
  execFileSync(process.execPath, ['scripts/notices.ts', '--check'], { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Returns the path of the package. */
export async function pack(): Promise<string> {
  checkNotices()
  await buildWeb()
  await buildServer()
  await buildCli()
  rmSync(STAGE, { recursive: true, force: true })
  for (const path of CONTENT) {
    const target = join(STAGE, path)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(join(ROOT, path), target, { recursive: true, filter: from => !isForTests(from) })
  }
  chmodSync(join(STAGE, COMMAND), 0o755)
  writeFileSync(join(STAGE, 'package.json'), `${JSON.stringify(toManifest(), null, 2)}\n`)
  writeFileSync(join(STAGE, 'README.md'), README)
  writeFileSync(join(STAGE, 'sbom.json'), writeSbom())
  return packFolder(STAGE)
}

if (import.meta.main) for (const path of [await pack(), await packClient()]) console.log(path)
