/** Startup errors: one sentence with the path and what to do, and exit code 1. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openFolders, postil } from '../postil.ts'
import { startServer } from '../server.ts'

const newFolder = openFolders()

/** Expects these sentences and no stack trace. */
function explained(...parts: (string | RegExp)[]) {
  const isPart = (text: string, part: string | RegExp) => (typeof part === 'string' ? text.includes(part) : part.test(text))
  return {
    status: 1,
    stdout: '',
    stderr: expect.toSatisfy(
      (text: string) => !/^ +at |\bError:/m.test(text) && parts.every(part => isPart(text, part)),
      String(parts),
    ),
  }
}

const start = (env: Record<string, string>, shell?: string) =>
  postil(['start', '--port', '0'], env, shell === undefined ? {} : { shell })

/** Home folder of an earlier server with users, copied for each test. */
let usedHome = ''
let apiKey = ''
beforeAll(async () => {
  usedHome = newFolder()
  const server = await startServer({ home: usedHome })
  apiKey = server.apiKey
  expect(await server.close()).toBe(0)
})

function copyHome(): string {
  const home = newFolder()
  for (const name of readdirSync(usedHome)) copyFileSync(join(usedHome, name), join(home, name))
  return home
}

describe('a server does not start', () => {
  test('on a home that is a file', () => {
    const path = join(newFolder(), 'file')
    writeFileSync(path, '')
    expect(start({ SERVICE_HOME_PATH: path })).toEqual(explained(path, 'no file is in the place of a folder'))
  })

  test('on a home below a file', () => {
    const path = join(newFolder(), 'file')
    writeFileSync(path, '')
    expect(start({ SERVICE_HOME_PATH: join(path, 'home') })).toEqual(explained(path, 'no file is in the place of a folder'))
  })

  test.runIf(existsSync('/sys'))('on a home that cannot be written', () => {
    expect(start({ SERVICE_HOME_PATH: '/sys/postil' })).toEqual(explained('/sys/postil', 'cannot be written'))
  })

  test('on a database that is a folder', () => {
    const home = newFolder()
    mkdirSync(join(home, 'postil.db'))
    expect(start({ SERVICE_HOME_PATH: home })).toEqual(explained(`${home}/postil.db is not a file`))
  })

  test('on an address that is not one of this machine', () => {
    const env = { SERVICE_HOME_PATH: copyHome(), SERVICE_HOST: '192.0.2.1' }
    expect(start(env)).toEqual(explained('192.0.2.1 is not an address of this machine', '--host'))
  })

  test.runIf(process.platform === 'linux')('with too few descriptors', () => {
    const home = newFolder()
    const limit = explained(/may open only \d+ more files/, 'ulimit -n')
    expect(start({ SERVICE_HOME_PATH: home }, 'ulimit -n 64')).toEqual(limit)
    expect(readdirSync(home)).toEqual([])
  })

  test.runIf(process.platform === 'linux')('when files may not grow, and starts afterwards', async () => {
    const home = newFolder()
    expect(start({ SERVICE_HOME_PATH: home }, 'ulimit -f 64')).toMatchObject(explained(home))
    const server = await startServer({ home })
    expect(await server.close()).toBe(0)
  })
})

describe('a database is refused and left as it is', () => {
  const refusals: [string, (file: string) => void, (string | RegExp)[]][] = [
    ['that is empty beside keys', file => truncateSync(file, 0), ['is empty (0 bytes)', 'Restore', 'start anew']],
    ['that is cut off', file => truncateSync(file, statSync(file).size - 4096), ['is cut off', 'restore a backup']],
    ['that is cut off after some bytes', file => truncateSync(file, 50), ['restore a backup']],
    ['that is not one', file => writeFileSync(file, 'x'.repeat(8192)), ['is not an SQLite database', 'restore a backup']],
    ['whose pages are damaged', file => damage(file), ['is damaged', 'restore a backup']],
  ]
  function damage(file: string): void {
    const bytes = readFileSync(file)
    bytes.fill(0xff, 100, bytes.length)
    writeFileSync(file, bytes)
  }

  test.each(refusals)(
    '%s',
    (_name, spoil, parts) => {
      const home = copyHome()
      const file = join(home, 'postil.db')
      spoil(file)
      const before = readFileSync(file)
      for (const args of [
        ['start', '--port', '0'],
        ['server', 'database', 'migrate'],
        ['server', 'backup', join(home, 'backup')],
      ]) {
        expect(postil(args, { SERVICE_HOME_PATH: home }), args.join(' ')).toEqual(explained(file, ...parts))
      }
      expect(readFileSync(file).equals(before)).toBe(true)
    },
    120_000,
  )

  test('that does not exist, by commands that only read', () => {
    const home = newFolder()
    for (const args of [
      ['database', 'revisions'],
      ['backup', join(home, 'backup')],
    ]) {
      expect(postil(['server', ...args], { SERVICE_HOME_PATH: home })).toEqual(explained(`no database at ${home}/postil.db`))
    }
    expect(readdirSync(home)).toEqual([])
  })
})

describe('keys', () => {
  test('a missing encryption key of a database with users is not replaced', async () => {
    const home = copyHome()
    const file = join(home, 'encryption.key')
    rmSync(file)
    expect(start({ SERVICE_HOME_PATH: home })).toEqual(explained(`${file} is missing`, 'Restore it from a backup', 'start anew'))
    expect(postil(['server', 'backup', join(home, 'backup')], { SERVICE_HOME_PATH: home })).toEqual(
      explained(`${file} is missing`),
    )
    expect(existsSync(file)).toBe(false)
  })

  test('a missing signing key is made anew, with a notice; the keys of users stay', async () => {
    const home = copyHome()
    rmSync(join(home, 'signing.key'))
    const server = await startServer({ home })
    expect(server.output()).toContain(`${home}/signing.key was missing and is made anew`)
    expect((await fetch(`${server.url}/api/v1/me`, { headers: { 'x-argilla-api-key': apiKey } })).status).toBe(200)
    expect(await server.close()).toBe(0)
  })

  test('an encryption key that is cut off is named', () => {
    const home = copyHome()
    writeFileSync(join(home, 'encryption.key'), 'short')
    expect(start({ SERVICE_HOME_PATH: home })).toEqual(explained(`${home}/encryption.key does not hold a key`))
  })

  test('without a database are used for a new one, with a notice', async () => {
    const home = copyHome()
    rmSync(join(home, 'postil.db'))
    const before = readFileSync(join(home, 'encryption.key'), 'utf8')
    const server = await startServer({ home })
    expect(server.output()).toContain(`There was no database at ${home}/postil.db`)
    expect(await server.close()).toBe(0)
    expect(readFileSync(join(home, 'encryption.key'), 'utf8')).toBe(before)
  })
})
