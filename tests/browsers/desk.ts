/** A signed-in user at a browser whose network can be cut: setup, actions and checks shared by the tests. */
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { storedResponse } from '../e2e/annotation-page.ts'
import { openWorld, type Plan, seed, texts, type World } from '../e2e/seed.ts'
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts'
import { discard } from '../server.ts'
import type { Driver } from './driver.ts'
import { openPage, type Page, until } from './page.ts'

const PICTURES = fileURLToPath(new URL('../../.cache/browsers', import.meta.url))

export let world: World
export let network: TcpProxy
export let page: Page

/** Starts one server and one browser for the tests of a file. The annotator is signed in before each test. */
export function takeDesk(open: () => Promise<Driver>): void {
  let driver: Driver | undefined
  beforeAll(async () => {
    world = await openWorld()
    network = await openTcpProxy(world.server.url)
    driver = await open()
    console.log(driver.name)
    page = await openPage(driver)
  })
  beforeEach(async () => {
    await goto('')
    await waitFor(`${byTestId('dataset-list')}, ${byTestId('sign-in-username')}`)
    if ((await page.count(byTestId('sign-in-username'))) > 0) await signIn()
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepPicture(task.name)
    expect(await page.listTroubles()).toEqual([])
  })
  afterAll(async () => {
    await driver?.close()
    await network?.close()
    if (world) await discard(world.server)
  })
}

/** Saves a screenshot of a failed test. */
async function keepPicture(testName: string): Promise<void> {
  await mkdir(PICTURES, { recursive: true })
  const path = join(PICTURES, `${testName.replaceAll(/\W+/g, '-').slice(0, 60)}.png`)
  await writeFile(path, await page.takePicture())
  console.log(`Picture: ${path}`)
}

export const byTestId = (name: string) => `[data-testid="${name}"]`
export const RECORD = `${byTestId('record')}:not([hidden])`
export const option = (question: string, value: string) =>
  `${byTestId(`question-${question}`)} ${byTestId('option')}[data-value="${value}"]`

export const goto = (path: string) => page.goto(`${network.url}/${path}`)
export const waitFor = (selector: string) => until(async () => (await page.count(selector)) > 0, `${selector} is there`)
export const expectText = (words: string, selector = RECORD) => expect.poll(() => page.textOf(selector)).toContain(words)
export const expectSaved = () => expect.poll(() => page.attributeOf(byTestId('connection'), 'data-state')).toBe('saved')

/** Requires that the sign-in page is open. */
export async function signIn(password = world.annotator.password): Promise<void> {
  await page.fill(byTestId('sign-in-username'), world.annotator.username)
  await page.fill(byTestId('sign-in-password'), password)
  await page.press('Enter')
  if (password === world.annotator.password) await waitFor(byTestId('dataset-list'))
}

export async function openDataset(datasetId: string, query = ''): Promise<void> {
  await goto(`dataset/${datasetId}/annotation-mode${query}`)
  await waitFor(byTestId('submit'))
  await waitFor(RECORD)
}

export async function begin(name: string, plan: Omit<Plan, 'name' | 'records'> & Partial<Plan>): Promise<string> {
  // These tests are repeated if they fail, and the dataset of the failed run is still there.
  const id = await seed(world, { name: `${name} ${randomUUID()}`, records: texts(3), ...plan })
  await openDataset(id)
  return id
}

/** Status and values of the annotator's response to the record at this index. */
export const storedAnswer = async (datasetId: string, at = 0) => {
  const response = await storedResponse(world, datasetId, at)
  return response ? [response.status, response.values] : null
}

/** Submits the answer and reads it back. */
export async function submitAndRead(datasetId: string): Promise<Record<string, unknown>> {
  await page.press('Enter')
  await expect.poll(async () => (await storedResponse(world, datasetId))?.status).toBe('submitted')
  return (await storedResponse(world, datasetId))?.values ?? {}
}
