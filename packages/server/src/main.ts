/** Process start. What needs a newer Node than this one is imported only once that is checked. */
const NODE_MIN = [22, 18] as const

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
  process.stderr.write(`Postil needs Node ${NODE_MIN.join('.')} or newer; this is ${process.versions.node}.\n`)
  process.exit(2)
}

const { giveMemoryBack } = await import('./lib/give-memory-back.ts')
// Commands that end soon need not.
if (process.argv.includes('start') || process.argv.includes('worker')) giveMemoryBack()
const { keepCompiledCode } = await import('./lib/compile-cache.ts')
keepCompiledCode()
const { mapStackTraces } = await import('./lib/stack-traces.ts')
mapStackTraces()
const { runCli } = await import('./cli/main.ts')
process.exitCode = await runCli(process.argv.slice(2))
// The connection to the process that started this one would keep it.
if (process.channel) process.exit()
