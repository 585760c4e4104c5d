/** Records, against one server. */
import { afterAll, describe } from 'vitest'
import { closeSharedWorld } from './http.ts'

afterAll(closeSharedWorld)

describe('creating records', async () => {
  await import('./records-create.contract.ts')
})

describe('upserting records', async () => {
  await import('./records-change.contract.ts')
})

describe('changing and deleting records', async () => {
  await import('./records-patch.contract.ts')
})

describe('reading records', async () => {
  await import('./records-read.contract.ts')
})
