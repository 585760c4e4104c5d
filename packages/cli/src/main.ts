#!/usr/bin/env node
/** Entry point. Checks the Node version before it imports modules that need a newer one. */
const NODE_MIN = [22, 18] as const

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
  process.stderr.write(`Postil needs Node ${NODE_MIN.join('.')} or newer; this is ${process.versions.node}.\n`)
  process.exit(2)
}

const { findServer, SERVER_COMMANDS } = await import('./commands/server.ts')
const args = process.argv.slice(2)
const server = findServer(import.meta.url)
if (server !== null && Object.hasOwn(SERVER_COMMANDS, args[0] ?? '')) {
  // The server's program reads the process arguments and sets the exit code.
  await import(server.href)
} else {
  // A reader such as `postil users list | head` closes the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  const { runProgram } = await import('./program.ts')
  await runProgram(args, { server })
}

export {}
