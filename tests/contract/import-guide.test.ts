/** Runs the script in docs/guide/import.md unchanged. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from './http.ts'
import { aHubDataset } from './hub-world.ts'

const run = promisify(execFile)

let world: World
let folder: string
beforeAll(async () => {
  world = await openWorld()
  folder = await mkdtemp(join(tmpdir(), 'postil-import-'))
})
afterAll(async () => {
  await world?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

test('uploads a file in pieces, imports it and saves the rejected rows', async () => {
  const guide = await readFile(fileURLToPath(new URL('../../docs/guide/import.md', import.meta.url)), 'utf8')
  const [, script = ''] = /```sh\n(AUTH=.*?)```/s.exec(guide) ?? []
  const datasetId = await aHubDataset(world.owner, world.workspaceId)
  const file = join(folder, 'rows.csv')
  // More than one piece.
  const filler = 'x'.repeat(1_000_000)
  await writeFile(
    file,
    `id,text,filler\n${[1, 2, 3, 4, 5].map(id => `${id},${id === 3 ? '' : `text ${id}`},${filler}`).join('\n')}\n`,
  )
  const env = {
    PATH: process.env.PATH,
    POSTIL_URL: world.server.url,
    POSTIL_API_KEY: world.server.apiKey,
    DATASET_ID: datasetId,
    FILE: file,
  }
  await run('sh', ['-euc', script], { cwd: folder, env, timeout: 120_000 })
  const { total } = await world.owner.done<{ total: number }>(`GET /datasets/${datasetId}/progress`)
  expect(total).toBe(4)
  expect(await readFile(join(folder, 'rejected.csv'), 'utf8')).toContain('3,text,,"Field `text` is required')
})
