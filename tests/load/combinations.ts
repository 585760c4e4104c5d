/** Deployments of a server: a database, a search engine, and the number of processes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresServer, runOn, startPostgres } from '@postil/server/testing/postgres-server'
import { type StartedEngine, startEngine } from '../engines/start.ts'
import { type StartedServer, startServer } from '../server.ts'
import type { Target } from './measure.ts'
import { processCpuMs, processTreeCpuMs } from './processor.ts'

export interface Combination {
  name: string
  database: 'sqlite' | 'postgres'
  engine: 'embedded' | 'opensearch' | 'elasticsearch'
  processes: number
}

/** Parses `postgres+opensearch x2`. Defaults to the embedded engine and one process. */
export function toCombination(text: string): Combination {
  const found = /^(sqlite|postgres)(?:\+(embedded|opensearch|elasticsearch))?(?: ?x(\d+))?$/.exec(text.trim())
  if (!found)
    throw new Error(`\`${text}\` is not a combination; expected something like postgres, sqlite+opensearch or postgres x2`)
  const [, database, engine = 'embedded', processes = '1'] = found
  const combination = { database, engine, processes: Number(processes) } as Omit<Combination, 'name'>
  if (database === 'sqlite' && combination.processes > 1) throw new Error('SQLite is used by one process')
  return { ...combination, name: text.trim() }
}

/** Engines and databases that are started once for all combinations, with the same durability as in production. */
export interface Machines {
  postgres: PostgresServer | null
  engines: Map<string, StartedEngine>
  close(): Promise<void>
}

const POSTGRES_SETTINGS = { max_connections: '200', shared_buffers: '512MB', max_wal_size: '4GB' }
/** Not the options for a fast start, because the engine is measured when it is warm. */
const ENGINE_OPTIONS = { heap: '1g', javaOptions: ['-XX:+UseG1GC'] }

export async function startMachines(combinations: readonly Combination[]): Promise<Machines> {
  const needsPostgres = combinations.some(({ database }) => database === 'postgres')
  const postgres = needsPostgres ? await startPostgres({ settings: POSTGRES_SETTINGS }) : null
  const engines = new Map<string, StartedEngine>()
  const close = async () => {
    for (const engine of engines.values()) await engine.stop()
    await postgres?.stop()
  }
  try {
    for (const { engine } of combinations) {
      if (engine !== 'embedded' && !engines.has(engine)) engines.set(engine, await startEngine(engine, ENGINE_OPTIONS))
    }
  } catch (error) {
    await close()
    throw error
  }
  return { postgres, engines, close }
}

/** Running servers of one combination, with a separate database and home folder. */
export interface Deployment {
  combination: Combination
  target: Target
  servers: StartedServer[]
  engine: StartedEngine | null
  /** Null on SQLite. */
  databaseUrl: string | null
  /** CPU times since the start in milliseconds; 0 for missing processes. */
  processorTimes(): ProcessorTimes
  /** Restarts the servers on the same data, with additional settings. */
  restart(env?: Record<string, string>): Promise<void>
  close(): Promise<void>
}

export interface ProcessorTimes {
  servers: number
  database: number
  engine: number
  client: number
}

export async function deploy(combination: Combination, { postgres, engines }: Machines, number: number): Promise<Deployment> {
  const home = mkdtempSync(join(tmpdir(), 'postil-bench-'))
  const database = combination.database === 'postgres' && postgres ? await createDatabase(postgres, `bench_${number}`) : null
  const engine = engines.get(combination.engine) ?? null
  const settings: Record<string, string> = {
    ...(database && { SERVICE_DATABASE_URL: database.url }),
    ...(engine && { SERVICE_SEARCH_ENGINE: engine.name, SERVICE_ELASTICSEARCH: engine.url }),
    ...(engine && { SERVICE_ES_INDEX_PREFIX: `bench-${number}`, SERVICE_SEARCH_WAIT_SECONDS: '60' }),
  }
  const start = async (env: Record<string, string> = {}): Promise<StartedServer[]> => {
    const servers: StartedServer[] = []
    for (let i = 0; i < combination.processes; i++) servers.push(await startServer({ home, env: { ...settings, ...env } }))
    return servers
  }
  const deployment: Deployment = {
    combination,
    servers: [],
    target: { url: '', apiKey: '' },
    engine,
    databaseUrl: database?.url ?? null,
    processorTimes: () => ({
      servers: deployment.servers.reduce((sum, { pid }) => sum + processCpuMs(pid), 0),
      database: database ? processTreeCpuMs(database.pid) : 0,
      engine: engine ? processCpuMs(engine.pid) : 0,
      client: toMs(process.cpuUsage()),
    }),
    restart: async env => {
      for (const server of deployment.servers) await server.close()
      deployment.servers = await start(env)
      const [first, ...others] = deployment.servers as [StartedServer, ...StartedServer[]]
      deployment.target = { url: first.url, apiKey: first.apiKey, otherUrls: others.map(({ url }) => url) }
    },
    close: async () => {
      for (const server of deployment.servers) await server.close()
      rmSync(home, { recursive: true, force: true })
      if (postgres && database) await runOn(postgres.url, `drop database ${database.name} with (force)`)
      if (engine) await fetch(`${engine.url}/bench-${number}*`, { method: 'DELETE' })
    },
  }
  await deployment.restart()
  return deployment
}

const toMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000

async function createDatabase(postgres: PostgresServer, name: string): Promise<{ name: string; url: string; pid: number }> {
  await runOn(postgres.url, `create database ${name}`)
  const [row] = await runOn(postgres.url, 'show data_directory')
  // The first line is the process id of the server; its child processes handle the connections.
  const pid = Number(readFileSync(join(String(row?.data_directory), 'postmaster.pid'), 'utf8').split('\n')[0])
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return { name, url: url.href, pid }
}
