/**
 * Runs many commands of the built command line in one process, one after the other, because half of the time of a command of its
 * own is the start of Node and the loading of the program. Reads and writes one JSON object a line. See run.ts.
 */
import { createInterface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

export interface HostedCommand {
  /** Entry point of the built program. */
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  input: string
}

export interface HostedResult {
  code: number
  stdout: string
  stderr: string
}

const answers = process.stdout
const umask = process.umask()
let count = 0

async function run({ file, args, cwd, env, input }: HostedCommand): Promise<HostedResult> {
  const [stdout, stderr, stdin] = [collect(), collect(), new PassThrough()]
  replaceStreams({ stdin, stdout: stdout.stream, stderr: stderr.stream })
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.umask(umask)
  process.argv = [process.execPath, file, ...args]
  process.exitCode = undefined
  stdin.end(input)
  try {
    // The query makes it another module, so that the entry point runs again. What it imports is loaded once.
    await import(`${pathToFileURL(file)}?${++count}`)
  } catch (error) {
    // As Node ends a process of its own.
    stderr.stream.write(inspect(error))
    process.exitCode = 1
  }
  return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() }
}

function collect() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

function replaceStreams(streams: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(streams)) Object.defineProperty(process, name, { value, configurable: true })
}

// Also ends a hanging command after its test has given up.
const lines = createInterface({ input: process.stdin }).once('close', () => process.exit())
for await (const line of lines) {
  const result = await run(JSON.parse(line))
  answers.write(`${JSON.stringify(result)}\n`)
}
