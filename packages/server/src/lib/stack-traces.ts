/** Maps stack traces of the bundled server (scripts/build-server.ts) to its sources. */
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

const POSITION = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g

/**
 * Loads the source map of a file only when a stack trace through it is printed. Node's option reads all source maps at start, in
 * every thread, which costs as much time as the bundle saves.
 */
export function mapStackTraces(): void {
  if (import.meta.filename.endsWith('.ts')) return
  const maps = new Map<string, SourceMap | null>()
  const toSource = (position: string, file: string, line: string, column: string) => {
    const map = maps.get(file) ?? readMap(file)
    maps.set(file, map)
    const origin = map?.findOrigin(Number(line), Number(column))
    if (origin === undefined || !('fileName' in origin)) return position
    return `${new URL(origin.fileName, file)}:${origin.lineNumber}:${origin.columnNumber}`
  }
  Error.prepareStackTrace = (error, frames) => {
    const stack = [Error.prototype.toString.call(error), ...frames.map(frame => `    at ${frame}`)].join('\n')
    return isShown(error) ? stack.replace(POSITION, toSource) : stack
  }
}

/** False for the stack in Node's diagnostic report, which native packages request to detect the C library and never print. */
const isShown = (error: Error) => (error as NodeJS.ErrnoException).code !== 'ERR_SYNTHETIC'

/** Returns null for files outside the bundle. */
function readMap(file: string): SourceMap | null {
  const path = `${fileURLToPath(file)}.map`
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null
}
