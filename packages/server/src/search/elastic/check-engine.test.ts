import { afterEach, expect, test } from 'vitest'
import { OperatorError } from '../../lib/operator-error.ts'
import type { ClusterName } from '../../search-settings.ts'
import { checkEngine } from './check-engine.ts'
import { openFakeEngine, type Respond } from './testing/fake-engine.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const answering =
  (number: string, distribution?: string): Respond =>
  () => ({ body: { version: { number, ...(distribution && { distribution }) } } })

async function check(name: ClusterName, respond: Respond, waitMs?: number): Promise<{ problem: string | null; told: string[] }> {
  const engine = await openFakeEngine(respond, { name })
  closers.push(engine.close)
  const told: string[] = []
  try {
    await checkEngine(engine.config, line => void told.push(line), waitMs)
    return { problem: null, told }
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError)
    return { problem: (error as Error).message.replace(engine.config.url, 'URL'), told }
  }
}

test.each<[ClusterName, string, string | undefined, string | null]>([
  ['elasticsearch', '8.5.0', undefined, null],
  ['elasticsearch', '9.1.2', undefined, null],
  ['elasticsearch', '8.4.3', undefined, 'Elasticsearch 8.4.3 answers at URL; expected Elasticsearch 8.5 or newer.'],
  ['elasticsearch', '7.17.0', undefined, 'Elasticsearch 7.17.0 answers at URL; expected Elasticsearch 8.5 or newer.'],
  ['opensearch', '2.4.0', 'opensearch', null],
  ['opensearch', '3.0.0', 'opensearch', null],
  ['opensearch', '2.3.1', 'opensearch', 'OpenSearch 2.3.1 answers at URL; expected OpenSearch 2.4 or newer.'],
  [
    'opensearch',
    '8.13.4',
    undefined,
    'SERVICE_SEARCH_ENGINE is `opensearch`, but Elasticsearch 8.13.4 answers at URL; expected `elasticsearch`.',
  ],
  [
    'elasticsearch',
    '2.19.1',
    'opensearch',
    'SERVICE_SEARCH_ENGINE is `elasticsearch`, but OpenSearch 2.19.1 answers at URL; expected `opensearch`.',
  ],
  ['opensearch', '', 'opensearch', 'OpenSearch  answers at URL; expected OpenSearch 2.4 or newer.'],
])('%s expected, version %s (%s): %s', async (name, version, distribution, problem) => {
  expect((await check(name, answering(version, distribution))).problem).toBe(problem)
})

test('an engine that starts late is waited for, with one line', async () => {
  const ready = answering('2.19.1', 'opensearch')
  const { problem, told } = await check('opensearch', (asked, count) =>
    count < 8 ? { status: 503, body: {} } : ready(asked, count),
  )
  expect(problem).toBeNull()
  expect(told).toHaveLength(1)
})

test('an engine that does not come is given up', async () => {
  const { problem } = await check('opensearch', () => ({ status: 503, body: {} }), 300)
  expect(problem).toContain('opensearch at URL answers 503')
  expect(problem).toContain('waited for 0.3 seconds')
})

test('refused credentials are named', async () => {
  const { problem } = await check('opensearch', () => ({ status: 401, body: { error: 'Unauthorized' } }))
  expect(problem).toBe('The search engine at URL refuses: unknown: Unauthorized.')
})
