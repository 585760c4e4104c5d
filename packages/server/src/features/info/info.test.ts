import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { toSize } from './memory.ts'
import { getSettings, getStatus, getVersion } from './read.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await openTestContext()
})
afterAll(() => ctx.close())

test('the version is that of the interface, as clients check it', () => {
  expect(getVersion()).toEqual({ version: '2.8.0' })
})

test('the status names the interface, the server, the search engine and the memory taken', async () => {
  const status = await getStatus(ctx)
  expect(status).toMatchObject({
    version: '2.8.0',
    server: { name: 'Postil', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
  })
  expect(status.search_engine).toEqual(await ctx.search.info())
  expect(status.memory.rss).toMatch(/^[1-9]\d*[MG]$/)
  for (const size of Object.values(status.memory)) expect(size).toMatch(/^\d+[BKMGTP]$/)
})

test.each([
  [0, '0B'],
  [1023, '1023B'],
  [1024, '1K'],
  [2047, '1K'],
  [282_066_944, '269M'],
  [1024 ** 3 * 2 - 1, '1G'],
  [1024 ** 5 * 4096, '4096P'],
])('%d bytes are %s', (bytes, size) => {
  expect(toSize(bytes)).toBe(size)
})

describe('settings', () => {
  const settings = (env: Record<string, string>) => getSettings({ config: readConfig(env) })

  test('of a self-hosted server contain only what is necessary', () => {
    expect(settings({})).toEqual({ argilla: { share_your_progress_enabled: false } })
    expect(settings({ SERVICE_ENABLE_SHARE_YOUR_PROGRESS: 'true' })).toEqual({ argilla: { share_your_progress_enabled: true } })
  })

  test('of a hosted space tell which one, without what is not known', () => {
    expect(settings({ SPACE_ID: 'team/space', SPACE_HOST: 'team.example', PERSISTANT_STORAGE_ENABLED: 'true' })).toEqual({
      argilla: { share_your_progress_enabled: false, show_huggingface_space_persistent_storage_warning: true },
      huggingface: { space_id: 'team/space', space_host: 'team.example', space_persistent_storage_enabled: true },
    })
  })

  test('include false values', () => {
    const env = { SPACE_ID: 'team/space', SERVICE_SHOW_HUGGINGFACE_SPACE_PERSISTENT_STORAGE_WARNING: 'false' }
    expect(settings(env)).toEqual({
      argilla: { share_your_progress_enabled: false, show_huggingface_space_persistent_storage_warning: false },
      huggingface: { space_id: 'team/space', space_persistent_storage_enabled: false },
    })
  })
})
