/**
 * `to_hub` and `from_hub` of the public Python SDK, and the server's export and import, with the loopback hub. The tests are in
 * `python_hub/`.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LoopbackHub, openHub } from '../hub/server.ts'
import { testPython } from './python-runner.ts'

const TOKEN = 'hf_write'
const READ_TOKEN = 'hf_read'

let hub: LoopbackHub

beforeAll(async () => {
  hub = await openHub({
    accounts: {
      [TOKEN]: { name: 'ann', organizations: ['team'] },
      [READ_TOKEN]: { name: 'ben', organizations: ['team'], role: 'read' },
    },
    treePageMax: 3,
  })
  // The first upload fails once, so that the client must retry it.
  hub.fail({ method: 'PUT', path: /signature=/, status: 503 })
})

afterAll(() => hub?.close())

testPython({
  folder: 'python_hub',
  open: async () => ({
    settings: { SERVICE_HUB_URL: hub.url, SERVICE_HUB_TOKEN: TOKEN },
    env: { HF_ENDPOINT: hub.url, POSTIL_TEST_HUB_TOKEN: TOKEN, POSTIL_TEST_HUB_READ_TOKEN: READ_TOKEN },
  }),
})
test('tokens went to the hub and not to the storage of large files', () => {
  const writes = hub.requests.filter(
    ({ origin, path, status }) => origin === 'hub' && /\/(commit|create)/.test(path) && status === 200,
  )
  expect(writes.length).toBeGreaterThan(0)
  expect(writes.filter(({ token }) => token !== TOKEN)).toEqual([])
  const uploads = hub.requests.filter(({ origin, method }) => origin === 'storage' && method === 'PUT')
  expect(uploads.map(({ status }) => status)).toContain(503)
  expect(uploads.map(({ status }) => status)).toContain(200)
  expect(hub.requests.filter(({ origin, token }) => origin === 'storage' && token !== null)).toEqual([])
})

test('the clients asked for nothing that the loopback hub cannot do', () => {
  expect(hub.requests.filter(({ status }) => status === 501)).toEqual([])
})
