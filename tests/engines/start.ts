/** A real OpenSearch or Elasticsearch for tests: a child process on a port of its own, with its data in a temporary folder. */
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
  /** Without a slash at the end. The same after `restart`. */
  url: string
  /** Of the process that runs now. */
  readonly pid: number
  /** The last lines that it has written. */
  log(): string
  /** Ends it at once, as a power cut would. Data and port are kept for `restart`. */
  kill(): Promise<void>
  /** Starts it again with the same data, on the same port, and waits until it answers; one that still runs is stopped first. */
  restart(): Promise<void>
  /** Stops it and removes its data. Its log is kept if it had ended by itself. */
  stop(): Promise<void>
}

interface EngineOptions {
  /** Of Java, such as `512m`. */
  heap?: string
  /** For Java, instead of those that start quickly. */
  javaOptions?: readonly string[]
}

const START_TIMEOUT_MS = 300_000
const STOP_TIMEOUT_MS = 60_000
const POLL_MS = 200
const LOG_LINES_SHOWN = 40
/** Below the ports that systems give to outgoing connections: while an engine is down, none of them takes its port. */
const PORTS = [20_000, 32_000] as const
/** One compiler and one collector: a node that lives for minutes on two cores starts in half of the time. */
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
  /** False: if it has ended, it did so by itself. */
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

function toCommand(name: EngineName, jars: string, { heap = '512m', javaOptions = QUICK_START }: EngineOptions, args: string[]) {
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

/** The engine stops by itself when the pipe at its standard input is closed: at the latest when this process ends, however that happens. */
function spawnJava(command: string[], logFile: string): ChildProcess {
  const output = openSync(logFile, 'a')
  try {
    return spawn('java', command, { stdio: ['pipe', output, output] })
  } finally {
    closeSync(output)
  }
}

/** `GET /` answers before the cluster is ready to make an index, so its health is asked for. */
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
    // Nothing listens yet, or it is too busy to answer: the caller asks again.
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
