import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { type Hasher, openHasher } from './hasher.ts'

const stranger = (source = 'address') => ({ source, isKnown: false })
const user = (source = 'user') => ({ source, isKnown: true })

let hasher: Hasher
const failures: Error[] = []
const folders: string[] = []
afterEach(async () => {
  await hasher.close()
  failures.length = 0
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const open = (url?: URL) => {
  hasher = openHasher(error => failures.push(error), url)
  return hasher
}

/** Opens a hasher whose thread runs `onMessage` instead of hashing. */
function openThread(onMessage: string): Hasher {
  const folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
  folders.push(folder)
  const file = join(folder, 'thread.mjs')
  writeFileSync(file, `import { parentPort } from 'node:worker_threads'\nparentPort.on('message', task => { ${onMessage} })`)
  return open(pathToFileURL(file))
}

const ofEach = (promises: readonly Promise<unknown>[]) =>
  Promise.all(promises.map(promise => promise.catch((error: { code?: string }) => error.code ?? error)))

describe('a password', () => {
  test('fits the hash that was made of it, and no other does', async () => {
    open()
    const hash = await hasher.hash('long enough', user())
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await hasher.fits(hash, 'long enough', stranger())).toBe(true)
    expect(await hasher.fits(hash, 'something else', stranger())).toBe(false)
    expect(await hasher.fits(null, 'no such user', stranger())).toBe(false)
    expect(await hasher.fits(hash, `long enough${'x'.repeat(1_000_000)}`, stranger())).toBe(false)
  })

  test('that is compared with something else than a hash is an error, and the thread goes on', async () => {
    open()
    await expect(hasher.fits('no hash', 'long enough', stranger())).rejects.toThrow(/^hashing a password failed/)
    expect(await hasher.fits(null, 'long enough', stranger())).toBe(false)
    expect(failures).toEqual([])
  })
})

describe('the queue', () => {
  test('takes one running and sixteen waiting of one stranger, and refuses more for a moment', async () => {
    open()
    const answers = await ofEach(Array.from({ length: 40 }, () => hasher.fits(null, 'x', stranger())))
    expect(answers).toEqual([...Array(17).fill(false), ...Array(23).fill('too_many_attempts')])
    await expect(hasher.fits(null, 'x', stranger())).resolves.toBe(false)
  })

  test('keeps room for those who are known when strangers fill it', async () => {
    open()
    const strangers = Array.from({ length: 100 }, (_, i) => hasher.fits(null, 'x', stranger(`address ${i}`)))
    const known = hasher.fits(null, 'x', user())
    const answers = await ofEach(strangers)
    expect(answers.filter(answer => answer === false)).toHaveLength(33)
    expect(await known).toBe(false)
  })

  test('is not for one user alone either', async () => {
    open()
    const answers = await ofEach(Array.from({ length: 100 }, () => hasher.fits(null, 'x', user())))
    expect(answers.filter(answer => answer === false)).toHaveLength(65)
  })

  test('lets sources take turns, and keeps the order of each', async () => {
    const done: string[] = []
    const { fits } = openThread("parentPort.postMessage({ kind: 'done', value: true })")
    const sources = ['a', 'a', 'a', 'a', 'b', 'b', 'c']
    await Promise.all(
      sources.map(async (source, i) => {
        await fits(null, 'x', stranger(source))
        done.push(`${source}${i}`)
      }),
    )
    expect(done).toEqual(['a0', 'a1', 'b4', 'c6', 'a2', 'b5', 'a3'])
  })
})

describe('a thread that dies', () => {
  test.each([
    { way: 'with an error', onMessage: "throw new Error('out of order')", message: 'out of order' },
    { way: 'without one', onMessage: 'process.exit(3)', message: 'the thread that hashes passwords ended with code 3' },
  ])('$way fails every request, and is told once', async ({ onMessage, message }) => {
    openThread(onMessage)
    const waiting = await Promise.allSettled([hasher.hash('x', user()), hasher.fits(null, 'x', stranger())])
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(hasher.hash('x', user())).rejects.toThrow(message)
    await expect.poll(() => failures.map(failure => failure.message)).toEqual([message])
  })

  test('because it is told to refuses what waits, and is no failure', async () => {
    openThread('')
    const waiting = ofEach([hasher.hash('x', user()), hasher.hash('x', user())])
    await hasher.close()
    expect(await waiting).toEqual(['unavailable', 'unavailable'])
    await expect(hasher.hash('x', user())).rejects.toMatchObject({ code: 'unavailable' })
    expect(failures).toEqual([])
  })
})
