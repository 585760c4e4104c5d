/** Finds the tests that a change can affect, the nearest first: by imports, and by name where tests talk to a server or a browser. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'

/** A test file, and over how many imports the change reaches it. */
export interface Affected {
  file: string
  distance: number
}

const SOURCES = ['packages/*/{src,early,frame}/**/*.{ts,vue}', 'tests/**/*.ts', 'scripts/*.ts', '*.ts']
const IMPORT = /(?:\bfrom|\bimport\(|^import)\s*['"](\.{1,2}\/[^'"]+|@postil\/[^'"]+)['"]/gm
const TEST = /\.test\.ts$/
/** Suites that reach the product over HTTP, so that imports do not lead from it to them. */
const OUTSIDE = /^tests\/(?!databases\/|load\/|engines\/|[^/]+$)/
const PRODUCT = /^packages\/[^/]+\/(?!.*\.test\.ts$)/
/** Words in paths that do not tell what a file is about. */
const PLAIN_WORDS = new Set(
  'packages server domain web src features index store all test http list types route routes api lib'.split(' '),
)
/** A test with the name of what was changed, and one that may reach it. */
const [NAMED, DISTANT] = [2, 9]

export function findAffected(root: string, changed: readonly string[]): Affected[] {
  const files = globSync(SOURCES, { cwd: root }).map(path => path.replaceAll('\\', '/'))
  const distances = measure(toImporters(root, files), changed)
  if (changed.some(path => PRODUCT.test(path))) addOutside(files, changed, distances)
  return [...distances]
    .flatMap(([file, distance]) => (TEST.test(file) ? [{ file, distance }] : []))
    .sort((a, b) => a.distance - b.distance || a.file.localeCompare(b.file))
}

/** Returns the files that import each file. */
function toImporters(root: string, files: readonly string[]): Map<string, string[]> {
  const known = new Set(files)
  const importers = new Map<string, string[]>()
  for (const file of files) {
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      const target = resolve(file, name)
      if (known.has(target)) importers.set(target, [...(importers.get(target) ?? []), file])
    }
  }
  return importers
}

/** `@postil/domain/records` is `packages/domain/src/records.ts`. */
function resolve(file: string, name: string): string {
  if (name.startsWith('.')) return posix.join(posix.dirname(file), name)
  const [, folder = '', ...path] = name.split('/')
  return `packages/${folder}/src/${path.join('/') || 'index'}.ts`
}

function measure(importers: ReadonlyMap<string, readonly string[]>, changed: readonly string[]): Map<string, number> {
  const distances = new Map(changed.map(path => [path, 0]))
  let reached = [...changed]
  for (let distance = 1; reached.length > 0; distance++) {
    reached = reached.flatMap(path => importers.get(path) ?? []).filter(path => !distances.has(path))
    for (const path of reached) distances.set(path, distance)
  }
  return distances
}

function addOutside(files: readonly string[], changed: readonly string[], distances: Map<string, number>): void {
  const words = new Set(changed.flatMap(toWords))
  for (const file of files) {
    if (!OUTSIDE.test(file) || !TEST.test(file)) continue
    const isNamed = toWords(basename(file)).some(word => words.has(word))
    distances.set(file, Math.min(distances.get(file) ?? DISTANT, isNamed ? NAMED : DISTANT))
  }
}

/** Words of a path in the singular. */
const toWords = (path: string) =>
  path
    .split(/[/.-]/)
    .map(word => word.replace(/s$/, ''))
    .filter(word => word.length > 3 && !PLAIN_WORDS.has(word))
