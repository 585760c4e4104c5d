/** Search, against one server. */
import { afterAll, describe } from 'vitest'
import { closeSharedWorld } from './http.ts'

afterAll(closeSharedWorld)

describe('text search', async () => {
  await import('./search-text.contract.ts')
})

describe('filters and sorts', async () => {
  await import('./search-filters.contract.ts')
})

describe('highlights, what exists, and counts', async () => {
  await import('./search-counts.contract.ts')
})

describe('similarity and order', async () => {
  await import('./search-similar.contract.ts')
})
