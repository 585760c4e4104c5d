/** The folder of uploaded files fails while the server runs: the log names this folder, and everything else goes on. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PIECE_BYTES, type Upload } from '@postil/domain/files'
import type { Preview } from '@postil/domain/imports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEST_DATABASE } from '../databases/postgres.ts'
import { canMount, runAmongMounts, withMounts } from '../namespaces.ts'
import { openFolders } from '../postil.ts'
import { discard, type StartedServer, startServer } from '../server.ts'
import { type Caller, caller } from './http.ts'
import { upload } from './import-world.ts'

const newFolder = openFolders()
const CSV = 'text\nhello\n'

/** On PostgreSQL, files are in the database. */
describe.runIf(TEST_DATABASE === 'sqlite')('a folder of files', () => {
  const home = newFolder()
  const folder = join(home, 'files')
  let server: StartedServer
  let owner: Caller
  const begin = async (size: number) => (await owner.done<Upload>('POST /uploads', { name: 'rows.csv', size })).id
  const put = (id: string, bytes: string | Uint8Array<ArrayBuffer>) => owner.send(`PUT /uploads/${id}/content?offset=0`, bytes)
  let workspaces = 0

  /** Nothing else than files may be affected. */
  async function expectGoesOn(): Promise<void> {
    expect((await owner.send('POST /workspaces', { name: `goes-on-${workspaces++}` })).status).toBe(201)
    expect((await owner.send('GET /me/workspaces')).status).toBe(200)
    expect((await fetch(`${server.url}/api/v1/health/ready`)).status).toBe(200)
  }

  async function expectNamed(words: string): Promise<void> {
    await expect.poll(() => server.output()).toContain(`${folder} ${words}`)
    expect(server.output()).not.toMatch(/The database cannot|"level":50.*request failed|postil\.db (?:cannot|could)/)
  }

  describe.skipIf(!canMount)('on a disk of its own (needs mounts in a namespace)', () => {
    const remount = (how: string) => runAmongMounts(server.pid, `mount -o remount,${how} ${folder}`)
    let whole: string
    beforeAll(async () => {
      mkdirSync(folder)
      server = await startServer({ home, shell: withMounts(`mount -t tmpfs -o size=${3 * PIECE_BYTES} files ${folder}`) })
      owner = caller(server.url, server.apiKey)
      whole = await upload(owner, 'rows.csv', CSV)
    })
    afterAll(() => discard(server))

    const expectReadable = async () =>
      expect(await owner.done<Preview>(`POST /uploads/${whole}/preview`, {})).toMatchObject({ rows_estimate: 1 })

    test('that becomes read-only', async () => {
      const id = await begin(CSV.length)
      remount('ro')
      const answer = await put(id, CSV)
      expect([answer.status, answer.body]).toEqual([503, { detail: expect.stringContaining('cannot write to its data folder') }])
      await expectNamed('cannot be written')
      await expectReadable()
      await expectGoesOn()
      remount('rw')
      expect((await put(id, CSV)).body).toMatchObject({ complete: true })
    })

    test('that becomes full', async () => {
      const content = new Uint8Array(5 * PIECE_BYTES).fill(65)
      const id = await begin(content.length)
      const answer = await put(id, content)
      expect([answer.status, answer.body]).toEqual([507, { detail: expect.stringContaining('no disk space left') }])
      await expectNamed('cannot grow')
      await expectReadable()
      await expectGoesOn()
      remount(`size=${20 * PIECE_BYTES}`)
      expect((await put(id, content)).body).toMatchObject({ complete: true })
    })
  })

  test('that a file has replaced', async () => {
    const started = await startServer()
    const replaced = join(started.home, 'files')
    const admin = caller(started.url, started.apiKey)
    const id = await upload(admin, 'rows.csv', CSV)
    const { id: next } = await admin.done<Upload>('POST /uploads', { name: 'rows.csv', size: CSV.length })
    renameSync(replaced, `${replaced}.old`)
    writeFileSync(replaced, '')
    const calls = [
      () => admin.send(`PUT /uploads/${next}/content?offset=0`, CSV),
      () => admin.send(`POST /uploads/${id}/preview`, {}),
    ]
    for (const call of calls) {
      const answer = await call()
      expect([answer.status, answer.body]).toEqual([503, { detail: expect.stringContaining('folder of files') }])
    }
    await expect.poll(() => started.output()).toContain(`${replaced} cannot be used`)
    expect(started.output()).not.toContain('request failed')
    expect((await admin.send('POST /workspaces', { name: 'goes-on' })).status).toBe(201)
    rmSync(replaced)
    renameSync(`${replaced}.old`, replaced)
    for (const call of calls) expect((await call()).status).toBe(200)
    await discard(started)
  })
})
