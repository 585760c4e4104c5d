/** `scripts/install.mjs` in a checkout with one dependency, where a program that writes down its arguments stands in for npm. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../scripts/install.mjs', import.meta.url))
const PACKAGE = `node-${process.platform}-${process.arch}`
const TOOL = { version: '1.0.0', integrity: 'sha512-0' }

interface Checkout {
  folder: string
  /** Writes files below the folder. */
  write(files: Record<string, unknown>): void
  /** Writes the program of the packaged runtime. */
  writeRuntime(text: string): void
  install(...args: string[]): { status: number | null; stderr: string }
  /** Arguments of all calls of npm. */
  listCalls(): string[]
}

const INSTALLED = { 'node_modules/.package-lock.json': { packages: { 'node_modules/tool': TOOL } } }

/** The stand-in installs what the lock file has for this platform, except a package named `absent`. */
const NPM = `
const { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const [command, ...options] = process.argv.slice(2)
appendFileSync('calls', [command, ...options].join(' ') + '\\n')
if (command === 'ci') rmSync('node_modules', { recursive: true, force: true })
mkdirSync('node_modules', { recursive: true })
if (command === 'install') writeFileSync('package-lock.json', readFileSync('next-lock.json'))
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const found = Object.entries(packages).filter(([path]) => path.includes('node_modules/') && !path.endsWith('/absent'))
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(found) }))
`

function createCheckout(): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'postil install äöü '))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (files: Record<string, unknown>) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
    }
  }
  mkdirSync(join(folder, 'scripts'))
  cpSync(SCRIPT, join(folder, 'scripts/install.mjs'))
  write({
    'package.json': { dependencies: { tool: '1.0.0' } },
    'package-lock.json': { packages: { '': { dependencies: { tool: '1.0.0' } }, 'node_modules/tool': TOOL } },
    'npm-cli.js': NPM,
    calls: '',
  })
  const env = { PATH: process.env.PATH, npm_execpath: join(folder, 'npm-cli.js') }
  return {
    folder,
    write,
    writeRuntime: text => {
      const path = `node_modules/${PACKAGE}/bin/node`
      write({ [path]: text })
      chmodSync(join(folder, path), 0o755)
    },
    install: (...args) => spawnSync(process.execPath, [join(folder, 'scripts/install.mjs'), ...args], { env, encoding: 'utf8' }),
    listCalls: () => readFileSync(join(folder, 'calls'), 'utf8').split('\n').filter(Boolean),
  }
}

describe('dependencies', () => {
  test('that are in the lock file are installed once, as it says, without install scripts and with those for development', () => {
    const { install, listCalls } = createCheckout()
    expect(install()).toMatchObject({ status: 0, stderr: '' })
    expect(listCalls()).toEqual([expect.stringMatching(/^ci (?=.*--include=dev)(?=.*--ignore-scripts)/)])
    expect(install()).toMatchObject({ status: 0, stderr: '' })
    expect(listCalls()).toHaveLength(1)
  })

  test('that are not in the lock file are added to it', () => {
    const { write, install, listCalls } = createCheckout()
    const dependencies = { tool: '1.0.0', other: '1.0.0' }
    write({
      'package.json': { dependencies },
      'next-lock.json': { packages: { '': { dependencies }, 'node_modules/tool': TOOL, 'node_modules/other': TOOL } },
    })
    expect(install()).toMatchObject({ status: 0, stderr: '' })
    expect(listCalls()).toEqual([expect.stringMatching(/^install (?=.*--include=dev)(?=.*--ignore-scripts)(?!.*--no-save)/)])
    expect(install()).toMatchObject({ status: 0 })
    expect(listCalls()).toHaveLength(1)
  })

  test.each(['version', 'integrity'])('with another %s than in the lock file are installed again', property => {
    const { write, install, listCalls } = createCheckout()
    install()
    write({ 'node_modules/.package-lock.json': { packages: { 'node_modules/tool': { ...TOOL, [property]: 'other' } } } })
    expect(install()).toMatchObject({ status: 0 })
    expect(listCalls()).toHaveLength(2)
  })

  test('that the registry does not have for this platform are requested once', () => {
    const { write, install, listCalls } = createCheckout()
    const absent = { ...TOOL, optional: true, os: [process.platform], cpu: [process.arch] }
    const packages = { '': { dependencies: { tool: '1.0.0' } }, 'node_modules/tool': TOOL, 'node_modules/absent': absent }
    write({ 'package-lock.json': { packages } })
    expect([install().status, install().status]).toEqual([0, 0])
    expect(listCalls()).toHaveLength(1)
    write({ 'package-lock.json': { packages: { ...packages, 'node_modules/other': TOOL } } })
    expect([install().status, install().status]).toEqual([0, 0])
    expect(listCalls()).toHaveLength(2)
  })
})

describe('the runtime in the dependencies', () => {
  const RUNTIME = '#!/bin/sh\necho v24.0.0\n'
  const readLink = ({ folder }: Checkout) => readlinkSync(join(folder, 'node_modules/.bin/node'))

  test.each(['', '--link'])('is linked, whatever npm left there (install.mjs %s)', option => {
    const checkout = createCheckout()
    checkout.write(INSTALLED)
    checkout.writeRuntime(RUNTIME)
    expect(checkout.install(option)).toMatchObject({ status: 0, stderr: '' })
    expect(readLink(checkout)).toBe(`../${PACKAGE}/bin/node`)
    rmSync(join(checkout.folder, 'node_modules/.bin/node'))
    checkout.write({ 'node_modules/.bin/node': 'a file' })
    expect(checkout.install(option)).toMatchObject({ status: 0, stderr: '' })
    expect(readLink(checkout)).toBe(`../${PACKAGE}/bin/node`)
    expect(checkout.listCalls()).toEqual([])
  })

  test('is not used where it does not run, and the installed Node is', () => {
    const checkout = createCheckout()
    checkout.write(INSTALLED)
    checkout.writeRuntime(RUNTIME)
    checkout.install('--link')
    expect(readLink(checkout)).toBe(`../${PACKAGE}/bin/node`)
    checkout.writeRuntime('#!/nowhere/ld-linux\n')
    expect(checkout.install()).toMatchObject({ status: 0, stderr: '' })
    expect(() => readLink(checkout)).toThrow('ENOENT')
  })

  test.each([
    { version: 'v22.17.1', isEnough: false },
    { version: 'v22.18.0', isEnough: true },
    { version: 'v20.20.2', isEnough: false },
    { version: 'v24.0.0', isEnough: true },
  ])('$version -> $isEnough', ({ version, isEnough }) => {
    const checkout = createCheckout()
    checkout.write(INSTALLED)
    checkout.writeRuntime(`#!/bin/sh\necho ${version}\n`)
    const { status, stderr } = checkout.install()
    expect(status).toBe(isEnough ? 0 : 1)
    expect(stderr).toBe(
      isEnough ? '' : `Postil needs Node 22.18 or newer; this is ${version}, and no newer one is packaged for this platform.\n`,
    )
  })

  test('of another platform is not linked', () => {
    const checkout = createCheckout()
    checkout.write({ 'node_modules/node-other-x64/bin/node': RUNTIME })
    expect(checkout.install('--link')).toMatchObject({ status: 0, stderr: '' })
    expect(() => readLink(checkout)).toThrow('ENOENT')
  })
})
