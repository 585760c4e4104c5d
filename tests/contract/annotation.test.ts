/** Suggestions, responses and progress, against one server. */
import { afterAll, describe } from 'vitest'
import { closeSharedWorld } from './http.ts'

afterAll(closeSharedWorld)

describe('suggestions', async () => {
  await import('./suggestions.contract.ts')
})

describe('responses', async () => {
  await import('./responses.contract.ts')
})

describe('progress', async () => {
  await import('./progress.contract.ts')
})

describe('contributors', async () => {
  await import('./contributors.contract.ts')
})

describe('bulk jobs', async () => {
  await import('./bulk-jobs.contract.ts')
})
