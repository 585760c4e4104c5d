/** `datasets push-to-hub` with the loopback hub. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDatasetWithSettings, writeRecords } from '@postil/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LoopbackHub, openHub } from '../hub/server.ts'
import { startServer } from '../server.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { failed, openPersons, type Person } from './run.ts'

const RECORDS = 120
const TOKEN = 'hf_token_of_the_team'
const newPerson = openPersons()
let hub: LoopbackHub
let on: Fixture

beforeAll(async () => {
  hub = await openHub({ accounts: { [TOKEN]: { name: 'ann', organizations: ['team'] } } })
  on = await openFixture(newPerson, { SERVICE_HUB_URL: hub.url, SERVICE_ACCESS_LOG: 'true' })
  const { dataset } = await create('reviews')
  const texts = Array.from({ length: RECORDS }, (_, row) => ({ external_id: `row-${row}`, fields: { text: `text ${row}` } }))
  await writeRecords(on.client, dataset.id, texts)
  await create('empty')
})
afterAll(async () => {
  await on?.close()
  await hub?.close()
})
beforeEach(() => void hub.requests.splice(0))

const create = (name: string) =>
  createDatasetWithSettings(on.client, {
    workspace: 'default',
    name,
    fields: [{ name: 'text', required: true, settings: { type: 'text' } }],
    questions: [{ name: 'comment', required: true, settings: { type: 'text' } }],
  })

const push = (...args: string[]) => pushAs(on.owner, args)
const pushAs = (person: Person, args: string[], { isAlone }: { isAlone?: true } = {}) =>
  person.run(['datasets', '--name', 'reviews', 'push-to-hub', ...args], { env: { HF_TOKEN: TOKEN }, isAlone: isAlone ?? false })

const commitsBy = (token: string) => hub.requests.filter(({ path, token: used }) => path.includes('/commit/') && used === token)

const filesWith = (folder: string, text: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(path => readFileSync(path).includes(text))

test('a dataset is pushed and its address is printed', async () => {
  const { code, stdout, stderr } = await pushAs(on.owner, ['--repo-id', 'team/first'], { isAlone: true })
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Dataset pushed') })
  expect(stdout).toContain(`${hub.url}/datasets/team/first`)
  expect(stderr).toBe('')
  const files = Object.keys(hub.files('team/first'))
  expect(files).toEqual(expect.arrayContaining(['README.md', '.argilla/settings.json', expect.stringMatching(/\.parquet$/)]))
  expect(hub.isPrivate('team/first')).toBe(false)
  expect(commitsBy(TOKEN).length).toBe(1)
})

test('the older name, options on the command, a private repository and JSON', async () => {
  const place = ['--repo-id', 'team/second', '--subset', 'german', '--split', 'test', '--private']
  const args = ['datasets', 'push-to-huggingface', '--name', 'reviews', '--workspace', 'default', ...place, '--token', TOKEN]
  const ended = await on.admin.run([...args, '--json'])
  expect(ended.code, ended.stdout).toBe(0)
  expect(ended.json()).toEqual({
    ...{ name: 'reviews', workspace: 'default', records: RECORDS },
    ...{ repo_id: 'team/second', subset: 'german', split: 'test', url: `${hub.url}/datasets/team/second` },
    job_id: expect.any(String),
  })
  expect(hub.isPrivate('team/second')).toBe(true)
  expect(Object.keys(hub.files('team/second')).some(path => /german\/test.*\.parquet$/.test(path))).toBe(true)
})

test('the token is asked for and never printed or stored', async () => {
  const args = ['datasets', '--name', 'reviews', 'push-to-hub', '--repo-id', 'team/asked', '--no-private']
  const { code, stdout, stderr } = await on.owner.run(args, { input: `${TOKEN}\n` })
  expect(code, stdout).toBe(0)
  expect(stderr).toContain('Hub token')
  expect(stdout + stderr + on.server.output()).not.toContain(TOKEN)
  for (const folder of [on.server.home, on.owner.home]) expect(filesWith(folder, TOKEN)).toEqual([])
  expect(commitsBy(TOKEN).length).toBe(1)
  expect(await on.owner.run(args)).toMatchObject(failed('Invalid parameters', 'Hub token', '--token'))
})

test('what is missing or wrong is named before anything is sent to the hub', async () => {
  const repo = ['--repo-id', 'team/none']
  expect(await push('--name', 'none', ...repo)).toMatchObject(failed('Dataset not found', 'none', '--workspace'))
  expect(await push('--name', 'empty', ...repo)).toMatchObject(failed('No records to push', 'empty'))
  expect(await push('--workspace', 'nowhere', ...repo)).toMatchObject(failed('Workspace not found', 'nowhere'))
  expect(await push('--repo-id', 'team/../none')).toMatchObject(failed('Invalid parameters', 'owner/name'))
  expect(await push('--split', 'a b', ...repo)).toMatchObject(failed('Invalid parameters', 'split'))
  expect(await pushAs(on.annotator, repo)).toMatchObject(failed('Not enough permissions'))
  expect(await pushAs(newPerson(), repo)).toMatchObject(failed('Not logged in'))
  expect(await push()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--repo-id') })
  const nameless = await on.owner.run(['datasets', 'push-to-hub', ...repo])
  expect(nameless).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("'--name <name>'") })
  expect(hub.requests).toEqual([])
})

test('what the hub refuses is told, also to an admin', async () => {
  const refused = await push('--repo-id', 'others/data')
  expect(refused).toMatchObject(failed('Unexpected error', 'others/data'))
  const args = ['--repo-id', 'team/wrong', '--token', 'hf_wrong', '--json']
  const ended = await pushAs(on.admin, args)
  expect(ended.code).toBe(1)
  expect(ended.json()).toEqual({ error: { title: 'Unexpected error', message: expect.stringMatching(/token/i) } })
  expect(hub.hasRepository('team/wrong')).toBe(false)
})

/** Starts a push and waits until the hub blocks the export and the command has polled its progress. */
async function pushUntilHeld(repository: string) {
  const held = Promise.withResolvers<void>()
  hub.fail({ path: new RegExp(repository), until: held.promise })
  const running = push('--repo-id', repository)
  await expect.poll(() => hub.requests.some(({ path }) => path.includes(repository))).toBe(true)
  const { items } = await on.client.listJobs({ query: { name: 'hub-export', limit: 1 } })
  const jobId = items[0]?.id ?? ''
  await expect.poll(() => on.server.output()).toContain(`/api/v1/jobs/${jobId}`)
  return { running, jobId, release: () => held.resolve() }
}

test('an export that an owner cancels ends the command', async () => {
  const { running, jobId, release } = await pushUntilHeld('team/canceled')
  try {
    await on.client.cancelJob({ params: { job_id: jobId } })
    expect(await running).toMatchObject(failed('Unexpected error', 'canceled'))
  } finally {
    release()
  }
})

test('a command outlives a server that is killed and started again', async () => {
  const { running, release } = await pushUntilHeld('team/again')
  const { home, url, env } = on.server
  await on.server.kill()
  release()
  const again = await startServer({ home, port: Number(new URL(url).port), env })
  try {
    const { code, stdout } = await running
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('team/again') })
    // The first commit creates the repository.
    expect(hub.commits('team/again').length).toBe(2)
  } finally {
    await again.close()
  }
})
