/** Entry point. Checks the Node version before it imports modules that need a newer one. */
const NODE_MIN = [22, 18] as const

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
  process.stderr.write(`Postil needs Node ${NODE_MIN.join('.')} or newer; this is ${process.versions.node}.\n`)
  process.exit(2)
}

const { restartWithMallocSettings } = await import('./lib/malloc-settings.ts')
// Not needed for commands that end soon.
if (process.argv.includes('start') || process.argv.includes('worker')) restartWithMallocSettings()
const { enableCodeCache } = await import('./lib/compile-cache.ts')
enableCodeCache()
const { mapStackTraces } = await import('./lib/stack-traces.ts')
mapStackTraces()
const { runCli } = await import('./cli/main.ts')
process.exitCode = await runCli(process.argv.slice(2))
// The IPC channel to the parent process would keep this process alive.
if (process.channel) process.exit()
