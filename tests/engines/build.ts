/**
 * OpenSearch and Elasticsearch as Java programs built from published packages, without a container or a distribution archive.
 *
 * Maven downloads the packages (its settings select the repository) and compiles our launcher. The result is cached in the user's
 * cache folder, one folder for each version of the engine and of the files here.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type EngineName = 'opensearch' | 'elasticsearch'

export const ENGINES = {
  opensearch: { title: 'OpenSearch', version: '2.19.1', main: 'engines.OpenSearchLauncher' },
  elasticsearch: { title: 'Elasticsearch', version: '8.13.4', main: 'engines.ElasticsearchLauncher' },
} as const

const HERE = fileURLToPath(new URL('.', import.meta.url))
const JAVA_MIN = 17
const OUTPUT_SHOWN_MAX = 4000

/** Returns the reason why the engines cannot be built and run on this machine, or null. */
export function findEngineProblem(): string | null {
  const { status, stdout } = spawnSync('javac', ['--version'], { encoding: 'utf8' })
  const version = Number(/^javac (\d+)/.exec(stdout ?? '')?.[1])
  if (status !== 0 || !(version >= JAVA_MIN)) return `no Java ${JAVA_MIN} or newer was found: javac must be on the path`
  if (spawnSync('mvn', ['--version'], { stdio: 'ignore' }).status !== 0) return 'no Maven was found: mvn must be on the path'
  return null
}

/** Returns the folder with the jars of an engine. Builds it if necessary, which takes about a minute. */
export function buildEngine(name: EngineName): string {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'postil', 'engines')
  const folder = join(cache, `${name}-${ENGINES[name].version}-${hashSources(name)}`)
  const jars = join(folder, 'lib')
  if (existsSync(jars)) return jars

  const problem = findEngineProblem()
  if (problem) throw new Error(`${ENGINES[name].title} cannot be built: ${problem}`)
  console.log(`Building ${ENGINES[name].title} ${ENGINES[name].version} with Maven; the first time takes a minute …`)
  mkdirSync(cache, { recursive: true })
  // Renamed when it is complete, so that an interrupted build never looks finished.
  const building = mkdtempSync(join(cache, 'building-'))
  try {
    runMaven(name, building)
    if (!existsSync(jars)) renameSync(building, folder)
  } catch (error) {
    // Another process may have finished the same build first.
    if (!existsSync(jars)) throw error
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
  return jars
}

function runMaven(name: EngineName, building: string): void {
  const args = ['-q', '-B', '-f', join(HERE, name, 'pom.xml'), `-DbuildDirectory=${building}`]
  const options = [`-Dengine.version=${ENGINES[name].version}`, 'package']
  const { status, stdout, stderr, error } = spawnSync('mvn', [...args, ...options], { encoding: 'utf8' })
  if (status === 0) return
  const said = error?.message ?? `${stdout}${stderr}`.slice(-OUTPUT_SHOWN_MAX)
  throw new Error(`Maven could not build ${ENGINES[name].title}. It needs to reach its repository. It printed:\n${said}`)
}

function hashSources(name: EngineName): string {
  const hash = createHash('sha256')
  for (const path of globSync('**/*.{java,xml}', { cwd: join(HERE, name) }).sort()) {
    hash.update(path).update(readFileSync(join(HERE, name, path)))
  }
  return hash.digest('hex').slice(0, 12)
}
