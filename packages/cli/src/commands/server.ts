/** `server` and `start` are commands of the server package, available if it is installed next to this one. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'

/** The bundle if there is one, otherwise the sources. Both paths are relative to this package's bundle and to its sources. */
const ENTRIES = ['../../server/dist/main.js', '../../server/src/main.ts']

export const SERVER_COMMANDS: Readonly<Record<string, string>> = {
  server: 'Run and look after a server',
  start: 'Serve the API until stopped, as `server start` does',
}

export function findServer(base: string): URL | null {
  return ENTRIES.map(entry => new URL(entry, base)).find(url => existsSync(url)) ?? null
}

/** Adds the server commands to the help only: `main.ts` runs them before this program parses arguments. */
export function listServerCommands(program: Command): void {
  for (const [name, description] of Object.entries(SERVER_COMMANDS)) program.command(name).description(description)
}
