/** The built web UI in memory: read once and looked up by exact name, so that no path can reach other files. */
import { hash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

const CODINGS = { br: '.br', gzip: '.gz' } as const
type Coding = keyof typeof CODINGS

export interface Variant {
  bytes: Uint8Array
  readonly etag: string
}

export interface WebFile {
  contentType: string
  plain: Variant
  /** Variants compressed at build time, best first. */
  compressed: [Coding, Variant][]
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/** The tag is computed when it is first needed, because hashing all files would take a tenth of the start. */
export function toVariant(bytes: Uint8Array, mark = ''): Variant {
  let etag: string | undefined
  return {
    bytes,
    get etag() {
      etag ??= `"${hash('sha256', bytes, 'base64url').slice(0, 22)}${mark}"`
      return etag
    },
  }
}

/** Returns files by their path below the folder, separated by `/`. Empty if the folder does not exist. */
export function readWebFiles(folder: string, limits?: Limits): Map<string, WebFile> {
  const names = new Set(listNames(folder))
  if (limits) checkLimits(folder, names, limits)
  const files = new Map<string, WebFile>()
  for (const name of names) {
    // Compressed siblings of another file are its variants, not separate files.
    if (Object.values(CODINGS).some(ending => name.endsWith(ending) && names.has(name.slice(0, -ending.length)))) continue
    const plain = toVariant(readFileSync(join(folder, name)))
    const compressed = (Object.entries(CODINGS) as [Coding, string][])
      .filter(([, ending]) => names.has(name + ending))
      .map(([coding, ending]): [Coding, Variant] => [coding, toVariant(readFileSync(join(folder, name + ending)), `-${coding}`)])
    files.set(name, { contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream', plain, compressed })
  }
  return files
}

/** Prevents loading a whole disk into memory by mistake. */
interface Limits {
  files: number
  bytes: number
}

function checkLimits(folder: string, names: ReadonlySet<string>, limits: Limits): void {
  if (names.size > limits.files) throw new Error(`${folder} has ${names.size} files, more than ${limits.files}`)
  const bytes = [...names].reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  if (bytes > limits.bytes) throw new Error(`The files of ${folder} have ${bytes} bytes, more than ${limits.bytes}`)
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
