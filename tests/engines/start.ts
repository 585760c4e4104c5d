/** A real OpenSearch or Elasticsearch for tests: a child process on a separate port, with its data in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { buildEngine, ENGINES, type EngineName } from './build.ts'

export interface StartedEngine {
  name: EngineName
  /** Without a trailing slash. Unchanged by `restart`. */
  url: string
  /** Id of the current process. */
  readonly pid: number
  /** Returns the last lines of its log. */
  log(): string
  /** Kills it like a power failure. Data and port stay for `restart`. */
  kill(): Promise<void>
  /** Restarts it with the same data and port and waits until it responds. Stops it first if it is running. */
  restart(): Promise<void>
  /** Stops it and deletes its data. Keeps the log if it crashed. */
  stop(): Promise<void>
}

interface EngineOptions {
  /** Java heap size, such as `512m`. */
  heap?: string
  /** Java options instead of those for a fast start. */
  javaOptions?: readonly string[]
}

const START_TIMEOUT_MS = 300_000
const STOP_TIMEOUT_MS = 60_000
const POLL_MS = 200
const LOG_LINES_SHOWN = 40
/** Below the ephemeral ports of outgoing connections, so that none of them takes the port while an engine is down. */
const PORTS = [20_000, 32_000] as const
/** With half of it, an engine shared by several suites rejects requests, because uncollected garbage counts as used memory. */
const HEAP = '1g'
/** One compiler and one collector halve the start time on two cores. */
const QUICK_START = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

export async function startEngine(name: EngineName, options: EngineOptions = {}): Promise<StartedEngine> {
  const jars = buildEngine(name)
  const folder = mkdtempSync(join(tmpdir(), `postil-${name}-`))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const logFile = join(folder, 'engine.log')
  const log = () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n')
  const command = toCommand(name, jars, options, [String(port), folder])
  const run = () => spawnJava(command, logFile)
  let child = run()
  /** True after it was stopped on purpose; otherwise an exit is a crash. */
  let isEnded = false

  const end = async (signal: NodeJS.Signals) => {
    if (!isRunning(child)) return
    isEnded = true
    const exited = once(child, 'exit')
    child.kill(signal)
    // A test may have stopped the process with SIGSTOP.
    child.kill('SIGCONT')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await exited
    clearTimeout(timer)
  }
  const awaitAnswer = () =>
    waitForAnswer(child, url).catch(async (error: Error) => {
      await end('SIGKILL')
      throw new Error(`${ENGINES[name].title} ${error.message}. Its log is ${logFile} and ends with:\n${log()}`)
    })
  await awaitAnswer()
  return {
    name,
    url,
    get pid() {
      return child.pid ?? 0
    },
    log,
    kill: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGTERM')
      isEnded = false
      child = run()
      await awaitAnswer()
    },
    stop: async () => {
      await end('SIGTERM')
      if (isEnded) rmSync(folder, { recursive: true, force: true })
      else console.error(`${ENGINES[name].title} had ended by itself; its log is ${logFile}`)
    },
  }
}

const isRunning = ({ exitCode, signalCode, pid }: ChildProcess) => pid !== undefined && exitCode === null && signalCode === null

function toCommand(name: EngineName, jars: string, { heap = HEAP, javaOptions = QUICK_START }: EngineOptions, args: string[]) {
  const prefix = name === 'opensearch' ? 'opensearch' : 'es'
  return [
    `-Xms${heap}`,
    `-Xmx${heap}`,
    '-XX:MaxDirectMemorySize=256m',
    ...javaOptions,
    '-Djava.awt.headless=true',
    '-Dfile.encoding=UTF-8',
    '-Dlog4j2.disable.jmx=true',
    '-Dio.netty.noUnsafe=true',
    '-Dio.netty.allocator.numDirectArenas=0',
    `-D${prefix}.set.netty.runtime.available.processors=false`,
    '-cp',
    join(jars, '*'),
    ENGINES[name].main,
    ...args,
  ]
}

/** The engine stops when its standard input is closed, at the latest when this process ends for any reason. */
function spawnJava(command: string[], logFile: string): ChildProcess {
  const output = openSync(logFile, 'a')
  try {
    return spawn('java', command, { stdio: ['pipe', output, output] })
  } finally {
    closeSync(output)
  }
}

/** Polls the cluster health, because `GET /` responds before the cluster can create an index. */
async function waitForAnswer(child: ChildProcess, url: string): Promise<void> {
  let failure = ''
  child.once('error', error => {
    failure = `could not be started (${error.message})`
  })
  const end = Date.now() + START_TIMEOUT_MS
  while (Date.now() < end) {
    if (!isRunning(child)) failure ||= `ended with ${child.signalCode ?? child.exitCode}`
    if (failure) throw new Error(failure)
    if (await isReady(url)) return
    await wait(POLL_MS)
  }
  throw new Error(`did not answer within ${START_TIMEOUT_MS / 1000} seconds`)
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=1s`, { signal: AbortSignal.timeout(5000) })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    // Not listening yet, or too busy to respond: the caller polls again.
    return false
  }
}

async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS)
    const server = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
