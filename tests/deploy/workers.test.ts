/** Health and metrics of a server with two processes on one port. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usePostgres } from '../databases/use-postgres.ts'
import { type StartedServer, startServer } from '../server.ts'

const postgres = usePostgres()
let server: StartedServer
beforeAll(async () => {
  const env = { SERVICE_DATABASE_URL: await postgres.newDatabase(), SERVICE_METRICS: '1', SERVICE_READER_THREADS: '1' }
  server = await startServer({ env, args: ['--workers', '2'] })
})
afterAll(async () => {
  await server?.close()
})

test('each scrape shows both processes, whichever is asked', async () => {
  for (let i = 0; i < 4; i++) {
    const answer = await fetch(`${server.url}/metrics`, { headers: { connection: 'close' } })
    const text = await answer.text()
    const processes = [...text.matchAll(/^process_resident_memory_bytes\{process="(\d+)"\} \d+$/gm)].map(([, id]) => id)
    expect(processes.toSorted()).toEqual(['1', '2'])
    const failures = [...text.matchAll(/^postil_scrape_failures_total\{process="\d+"\} (\d+)$/gm)].map(([, count]) => count)
    expect(failures).toEqual(['0', '0'])
    expect(text).toContain('database="postgresql"')
    expect(text).toMatch(/^postil_database_connections\{thread="writer",state="(active|idle)"\} [1-9]/m)
  }
})

test('each process is ready', async () => {
  for (let i = 0; i < 4; i++) {
    const answer = await fetch(`${server.url}/api/v1/health/ready`, { headers: { connection: 'close' } })
    expect([answer.status, await answer.json()]).toMatchObject([200, { status: 'ready' }])
  }
})
