/** Datasets and their settings, against one server. */
import { afterAll, describe } from 'vitest'
import { closeSharedWorld } from './http.ts'

afterAll(closeSharedWorld)

describe('datasets', async () => {
  await import('./datasets.contract.ts')
})

describe('fields, questions, metadata and vectors', async () => {
  await import('./questions.contract.ts')
})
