/**
 * A bulk job has its effect exactly once, even if the server is repeatedly killed while the job runs: in the end every record has
 * one response and one version of its earlier state.
 */
import { setTimeout } from 'node:timers/promises'
import type { BulkJob } from '@postil/domain/bulk-jobs'
import { expect, test } from 'vitest'
import { openRandom } from '../load/corpus.ts'
import { createMeasuredDataset, ingest, type MeasuredDataset } from '../load/dataset.ts'
import { openConnection } from '../load/http-client.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { checkCopy, checkFolder, readNumber } from './check-folder.ts'
import { copyAtTimes } from './moments.ts'

const RECORDS = 3_000
const KILLS_MAX = 2
const COPIES_PER_KILL = 3

const newFolder = openFolders()
const home = newFolder()
const copyTo = newFolder()

/** Returns a number from the database about the job's effects. */
const count = (text: string) => readNumber(home, text)

async function send(server: StartedServer, method: string, path: string, body?: object): Promise<BulkJob> {
  const connection = await openConnection(server.url, server.apiKey)
  const answer = await connection.send(method, `/api/v1${path}`, body && JSON.stringify(body))
  connection.close()
  expect(answer.status).toBeLessThan(300)
  return JSON.parse(answer.body.toString())
}

/** Copies and kills the server several times while the job runs. Returns the server that finished it and the number of kills. */
async function killUntilDone(server: StartedServer, id: string): Promise<{ server: StartedServer; kills: number }> {
  let [current, kills] = [server, 0]
  const isDone = async () => (await send(current, 'GET', `/me/bulk-jobs/${id}`)).finished_at !== null
  const random = openRandom(7)
  for (let no = 1; no <= KILLS_MAX && !(await isDone()); no++) {
    await copyAtTimes(current, { random, count: COPIES_PER_KILL, msMax: 20, to: copyTo }, checkCopy)
    await setTimeout(random() * 20)
    if (await isDone()) break
    await current.kill()
    checkFolder(home)
    current = await startServer({ home })
    kills++
  }
  await expect.poll(isDone).toBe(true)
  return { server: current, kills }
}

async function prepare(server: StartedServer): Promise<MeasuredDataset> {
  const dataset = await createMeasuredDataset(server)
  await ingest(server, dataset, 0, RECORDS, 2)
  return dataset
}

test('a bulk job survives kills, and so does its undo', async () => {
  const first = await startServer({ home })
  const dataset = await prepare(first)
  const action = { type: 'respond', status: 'submitted', values: { topic: { value: 'praise' } } }
  const path = `/me/datasets/${dataset.id}/responses/by-filter`
  const job = await send(first, 'POST', path, { query: {}, response_status: 'pending', action, expected_total: RECORDS })
  const done = await killUntilDone(first, job.id)
  expect(await send(done.server, 'GET', `/me/bulk-jobs/${job.id}`)).toMatchObject({
    status: 'finished',
    done: RECORDS,
    failed: 0,
  })
  expect(count("select count(*) as size from responses where status = 'submitted'")).toBe(RECORDS)
  expect(count(`select count(*) as size from response_history where job_id = '${job.id}' and version = 1`)).toBe(RECORDS)
  expect(count('select completed_count as size from dataset_heads')).toBe(RECORDS)

  const undo = await send(done.server, 'POST', `/me/bulk-jobs/${job.id}/undo`)
  const undone = await killUntilDone(done.server, undo.id)
  expect(await send(undone.server, 'GET', `/me/bulk-jobs/${undo.id}`)).toMatchObject({ status: 'finished', done: RECORDS })
  expect(count('select (select count(*) from responses) + (select completed_count from dataset_heads) as size')).toBe(0)
  expect(count('select count(*) as size from response_history')).toBe(2 * RECORDS)
  expect(await undone.server.close()).toBe(0)
  expect(Math.min(done.kills, undone.kills)).toBeGreaterThan(0)
})
