/**
 * The lock files name the packages of every platform. npm installs only what is in the lock file, and `npm ci` of npm 11 stops if
 * one is missing. An npm that finds node_modules may write a lock file with the packages of its own platform only.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface LockedPackage {
  version?: string
  integrity?: string
  optional?: boolean
  os?: string | string[]
  cpu?: string | string[]
  libc?: string | string[]
  optionalDependencies?: Record<string, string>
}

type LockedPackages = Record<string, LockedPackage>

/** Reason why a package has no integrity, by `name@version`: for packages that the registry does not have. */
const UNPUBLISHED: Record<string, string> = {}

const readLock = (path: string): LockedPackages => JSON.parse(readFileSync(join(ROOT, path), 'utf8')).packages

/** Returns the path of the package that `parent` gets for a name: its own copy, or the one of a folder above. */
function findLocked(packages: LockedPackages, parent: string, name: string): string | undefined {
  for (let folder = parent; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return undefined
  }
}

function listProblems(packages: LockedPackages): string[] {
  return Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, range]) => {
      const path = findLocked(packages, parent, name)
      const found = path === undefined ? undefined : packages[path]
      if (!found) return [`${name} of ${parent} is missing`]
      const isOther = /^\d/.test(range) && found.version !== range
      if (!found.version || isOther) return [`${name} of ${parent} has version ${found.version}, not ${range}`]
      // npm refuses to install a required package on another platform.
      if ((found.os ?? found.cpu) && !found.optional) return [`${name} of ${parent} is not optional`]
      const isWhole = found.integrity?.startsWith('sha512-') || `${name}@${found.version}` in UNPUBLISHED
      return isWhole ? [] : [`${name} of ${parent} has no integrity`]
    }),
  )
}

describe.each(['package-lock.json', 'site/package-lock.json'])('%s', path => {
  test('names every optional package, with version and integrity', () => {
    expect(listProblems(readLock(path))).toEqual([])
  })

  test('has packages for Linux, macOS and Windows', () => {
    const systems = Object.values(readLock(path)).flatMap(({ os }) => os ?? [])
    expect(systems).toEqual(expect.arrayContaining(['linux', 'darwin', 'win32']))
  })
})

test('the platforms of a package that names its platform are in the lock file', () => {
  const wrong = Object.entries(readLock('package-lock.json')).filter(([path, { os, cpu }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/'))
    return /[-/](darwin|win32|linux)-(x64|arm64)/.test(name) && !(os && cpu)
  })
  expect(wrong.map(([path]) => path)).toEqual([])
})

// Written with npm 11: npm 10 removes this property, and npm 11 then installs the binaries for both.
test('the C library of a package that names it is in the lock file', () => {
  const wrong = Object.entries(readLock('package-lock.json')).filter(
    ([path, { libc }]) => /linux-.*-(gnu|musl)$/.test(path) && !libc,
  )
  expect(wrong.map(([path]) => path)).toEqual([])
})

test('packages without integrity are still in a lock file', () => {
  const locked = ['package-lock.json', 'site/package-lock.json'].flatMap(path =>
    Object.entries(readLock(path)).map(([at, { version }]) => `${at.slice(at.lastIndexOf('node_modules/') + 13)}@${version}`),
  )
  expect(Object.keys(UNPUBLISHED).filter(name => !locked.includes(name))).toEqual([])
})

describe('an incomplete lock file is noticed', () => {
  const tool = (version: string): LockedPackage => ({
    version: '2.0.0',
    optionalDependencies: { 'tool-linux': version, 'tool-mac': version },
  })
  const packed = (more: LockedPackage = {}): LockedPackage => ({
    version: '2.0.0',
    optional: true,
    integrity: 'sha512-',
    ...more,
  })

  test.each<{ given: string; packages: LockedPackages; problems: string[] }>([
    {
      given: 'both packages',
      packages: { 'node_modules/tool-linux': packed(), 'node_modules/tool-mac': packed() },
      problems: [],
    },
    {
      given: 'both packages, one of them inside',
      packages: { 'node_modules/tool-linux': packed(), 'node_modules/tool/node_modules/tool-mac': packed() },
      problems: [],
    },
    {
      given: 'the package of one platform',
      packages: { 'node_modules/tool-linux': packed() },
      problems: ['tool-mac of node_modules/tool is missing'],
    },
    {
      given: 'a package inside another one',
      packages: { 'node_modules/tool-linux': packed(), 'node_modules/other/node_modules/tool-mac': packed() },
      problems: ['tool-mac of node_modules/tool is missing'],
    },
    {
      given: 'another version',
      packages: { 'node_modules/tool-linux': packed(), 'node_modules/tool-mac': packed({ version: '2.0.1' }) },
      problems: ['tool-mac of node_modules/tool has version 2.0.1, not 2.0.0'],
    },
    {
      given: 'no version',
      packages: { 'node_modules/tool-linux': packed(), 'node_modules/tool-mac': { optional: true, integrity: 'sha512-' } },
      problems: ['tool-mac of node_modules/tool has version undefined, not 2.0.0'],
    },
    {
      given: 'no integrity',
      packages: { 'node_modules/tool-linux': packed(), 'node_modules/tool-mac': { version: '2.0.0', optional: true } },
      problems: ['tool-mac of node_modules/tool has no integrity'],
    },
    {
      given: 'a package of one platform that is required',
      packages: { 'node_modules/tool-linux': packed(), 'node_modules/tool-mac': packed({ optional: false, os: ['darwin'] }) },
      problems: ['tool-mac of node_modules/tool is not optional'],
    },
  ])('$given', ({ packages, problems }) => {
    expect(listProblems({ 'node_modules/tool': tool('2.0.0'), ...packages })).toEqual(problems)
  })
})
