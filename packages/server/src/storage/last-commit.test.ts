import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { beginCommits, findLostCommits } from './last-commit.ts'
import { openSqlite, type SqliteHandle } from './sqlite.ts'

const LARGEST = 2 ** 31 - 1
let home: string
let path: string
let db: SqliteHandle
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'postil-test-'))
  path = join(home, 'test.db')
  open({ countsCommits: false })
  db.raw.exec('create table notes (text text)')
  db.raw.close()
  beginCommits(path, { isSynced: true })
})
afterEach(() => {
  db.raw.close()
  rmSync(home, { recursive: true, force: true })
})

function open({ countsCommits = true } = {}): void {
  db = openSqlite({ path, readonly: false, synchronous: 'normal', busyTimeoutMs: 0, cacheMb: 1, countsCommits })
}
const number = () => db.raw.pragma('user_version', { simple: true }) as number
const noted = () => JSON.parse(readFileSync(`${path}.last-commit`, 'utf8')) as { first: number; last: number; at: string }
const insert = () => db.transaction(({ sql }) => sql.run("insert into notes values ('a')"))

test('a commit is counted in the database and beside it; reads are not, and one that was undone leaves no number', async () => {
  open()
  const first = number()
  expect(noted()).toMatchObject({ first, last: first })
  await insert()
  await db.group(async () => {
    await insert()
    await insert()
  })
  expect([number(), noted().last]).toEqual([first + 2, first + 2])
  await db.transaction(({ sql }) => sql.all('select * from notes'))
  await db.snapshot(({ sql }) => sql.all('select * from notes'))
  const undone = db.transaction(async ({ sql }) => {
    await sql.run("insert into notes values ('b')")
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect([number(), noted().last]).toEqual([first + 2, first + 2])
  await insert()
  expect([number(), noted().last]).toEqual([first + 3, first + 3])
  expect(findLostCommits(path)).toBeNull()
})

test('a transaction that undoes nothing but savepoints counts once', async () => {
  open()
  const first = number()
  await db.group(async () => {
    await insert()
    await insert()
      .then(() => db.transaction(() => Promise.reject(new Error('refused'))))
      .catch(() => {})
  })
  expect([number(), noted().last]).toEqual([first + 1, first + 1])
})

test.each([
  [5, 8, 4, null],
  [5, 8, 5, '3 commits are'],
  [5, 8, 7, 'last commit is'],
  [5, 8, 8, null],
  [5, 8, 9, null],
  [5, 8, 0, null],
  [LARGEST - 1, 2, LARGEST, '2 commits are'],
  [LARGEST - 1, 2, 1, 'last commit is'],
  [LARGEST - 1, 2, 2, null],
  [LARGEST - 1, 2, LARGEST - 2, null],
])('first %i, last %i, in the database %i -> %s', (first, last, found, expected) => {
  open({ countsCommits: false })
  db.raw.pragma(`user_version = ${found}`)
  writeFileSync(`${path}.last-commit`, JSON.stringify({ first, last, at: '2026-01-05T10:11:12.131Z' }))
  const lost = findLostCommits(path)
  if (expected === null) expect(lost).toBeNull()
  else expect(lost).toContain(expected)
})

test('after the largest number follows 1', async () => {
  open({ countsCommits: false })
  db.raw.pragma(`user_version = ${LARGEST}`)
  db.raw.close()
  open()
  await insert()
  expect([number(), noted().last]).toEqual([1, 1])
})

test.each(['', '\0\0\0', '{}', '{"first":1,"last":', '{"first":"1","last":2,"at":""}'])(
  'a file that is not complete counts as none: %j',
  async text => {
    writeFileSync(`${path}.last-commit`, text)
    expect(findLostCommits(path)).toBeNull()
    open()
    await insert()
    expect(readFileSync(`${path}.last-commit`, 'utf8')).toBe(text)
  },
)

test('commits that are not synced are not counted', async () => {
  beginCommits(path, { isSynced: false })
  open()
  const before = number()
  await insert()
  expect(number()).toBe(before)
})
