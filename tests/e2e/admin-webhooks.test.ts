/** Webhooks and their deliveries for owners, in a real browser, with a real receiver. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { addOwner, closeSeat, expectNothingForOthers, HOSTILE, hasScriptRun, sitAsOwner } from './admin.ts'
import { takeWorld, world } from './desk.ts'
import { changeRows } from './rows.ts'

takeWorld({ SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: '1' })

interface Received {
  type: string
  signatures: string[]
}

let server: Server
let receiver: string
let received: Received[] = []
/** The receiver responds with 500 on every path except `/in`. */
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { type } = JSON.parse(Buffer.concat(chunks).toString())
    received.push({ type, signatures: String(request.headers['webhook-signature']).split(' ') })
    response.writeHead(request.url?.startsWith('/in') ? 200 : 500, { 'content-type': 'text/html' }).end(HOSTILE)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  for (const { id } of (await world.owner.listWebhooks()).items) await world.owner.deleteWebhook({ params: { webhook_id: id } })
  received = []
})
afterAll(() => server?.close())

const aWebhook = (path = '/in', description: string | null = null) =>
  world.owner.createWebhook({ body: { url: receiver + path, events: ['dataset.created', 'dataset.updated'], description } })
let made = 0
const aDataset = () => world.owner.createDataset({ body: { name: `told ${++made}`, workspace_id: world.workspaceId } })
const rows = (page: Page) => page.getByTestId('webhook')
const focused = (page: Page) => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.testid ?? null)

test('an owner creates a webhook by the keyboard, is told what is missing, and it gets what happens', async () => {
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/webhooks')
  await expect.poll(() => page.getByTestId('empty').innerText()).toContain('No webhooks yet')
  await page.getByTestId('new-webhook').focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('webhook-url')
  await page.keyboard.type('hooks.example.org')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Enter a URL that starts with http://').waitFor()
  await page.getByRole('alert').getByText('Select at least one event.').waitFor()
  await page.getByTestId('webhook-url').fill(`${receiver}/in`)
  await page.getByRole('checkbox', { name: 'dataset.created' }).focus()
  await page.keyboard.press('Space')
  await page.getByTestId('webhook-description').fill(HOSTILE)
  await page.getByTestId('webhook-save').click()
  await rows(page).waitFor()
  expect(await page.getByTestId('webhooks-done').innerText()).toBe('Webhook created.')
  expect(await rows(page).getByRole('heading').innerText()).toBe(`${receiver}/in`)
  expect(await rows(page).innerText()).toContain(HOSTILE)
  expect(await rows(page).getByTestId('state').innerText()).toBe('Working')
  await aDataset()
  await expect.poll(() => received.map(({ type }) => type)).toEqual(['dataset.created'])
  expect(await hasScriptRun(page)).toBe(false)
  await closeSeat(seat)
})

test('a ping says whether somebody answered', async () => {
  const webhook = await aWebhook()
  const seat = await sitAsOwner({ allow: [/500/] })
  const { page } = seat
  await page.goto('admin/webhooks')
  await rows(page).getByTestId('ping').click()
  await rows(page).getByText('The receiver responded to the ping.').waitFor()
  expect(received.map(({ type }) => type)).toEqual(['ping'])
  // The port of a closed server, on which nothing listens.
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await world.owner.updateWebhook({ params: { webhook_id: webhook.id }, body: { url: `http://127.0.0.1:${port}/` } })
  await rows(page).getByTestId('ping').click()
  await expect.poll(() => rows(page).getByTestId('webhook-problem').innerText()).toContain('The ping could not be delivered')
  await closeSeat(seat)
})

test('the secret is hidden until it is asked for; a new one signs beside the old one for a day', async () => {
  const { secret } = await aWebhook()
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/webhooks')
  const field = rows(page).getByTestId('secret')
  await expect.poll(() => field.getAttribute('type')).toBe('password')
  await rows(page).getByTestId('reveal').click()
  expect(await field.getAttribute('type')).toBe('text')
  expect(await field.inputValue()).toBe(secret)
  await rows(page).getByRole('button', { name: 'Copy secret' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
  await rows(page).getByTestId('ask-rotate').click()
  await page.getByRole('alertdialog').getByText('For 24 hours each request carries two signatures').waitFor()
  await page.getByTestId('rotate').click()
  await rows(page).getByText('You have a new secret.').waitFor()
  await expect.poll(() => field.inputValue()).not.toBe(secret)
  await rows(page).getByText('The previous secret is valid until').waitFor()
  await aDataset()
  await expect.poll(() => received.map(({ signatures }) => signatures.length)).toEqual([2])
  await closeSeat(seat)
})

test('a webhook is changed, disabled, enabled and deleted', async () => {
  const { id } = await aWebhook()
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/webhooks')
  await rows(page).getByTestId('edit').click()
  await page.getByTestId('all-events').click()
  await page.getByTestId('webhook-description').fill('For the archive')
  await page.getByTestId('webhook-save').click()
  await rows(page).getByText('For the archive').waitFor()
  const stored = async () => (await world.owner.listWebhooks()).items.find(one => one.id === id)
  expect((await stored())?.events).toHaveLength(11)
  const isEnabled = rows(page).getByRole('switch', { name: 'Enabled' })
  await isEnabled.click()
  await expect.poll(() => rows(page).getByTestId('state').innerText()).toBe('Disabled')
  expect((await stored())?.enabled).toBe(false)
  await isEnabled.click()
  await expect.poll(() => rows(page).getByTestId('state').innerText()).toBe('Working')
  await rows(page).getByTestId('delete').click()
  await page.getByTestId('delete-confirm').click()
  await expect.poll(() => page.getByTestId('webhooks-done').innerText()).toBe('Webhook deleted.')
  await page.getByTestId('empty').waitFor()
  expect(await stored()).toBeUndefined()
  await closeSeat(seat)
})

test('a paused webhook says why, and goes on when it is enabled', async () => {
  const { id } = await aWebhook('/broken')
  const message = `Every delivery has failed: ${HOSTILE}`
  changeRows(world.server, 'update webhooks set enabled = 0, paused_at = ?, failing_since = ?, message = ? where id = ?', [
    '2026-01-05T09:12:44.120031',
    '2026-01-02T09:12:44.120031',
    message,
    id,
  ])
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/webhooks')
  await expect.poll(() => rows(page).getByTestId('state').innerText()).toBe('Paused')
  expect(await rows(page).getByTestId('webhook-message').innerText()).toBe(message)
  expect(await rows(page).innerText()).toContain('Paused on Jan 5, 2026, 10:12')
  expect(await rows(page).getByRole('switch').getAttribute('aria-checked')).toBe('false')
  await rows(page).getByRole('switch').click()
  await expect.poll(() => rows(page).getByTestId('state').innerText()).toBe('Working')
  expect(await hasScriptRun(page)).toBe(false)
  await closeSeat(seat)
})

test('deliveries show what the receiver answered, are filtered, and are sent again', async () => {
  const good = await aWebhook('/in')
  const seat = await sitAsOwner()
  const { page } = seat
  const dataset = await aDataset()
  await expect.poll(() => received.length).toBe(1)
  await page.goto('admin/webhooks')
  await rows(page).getByTestId('open-deliveries').click()
  const list = page.getByTestId('delivery')
  await expect.poll(() => page.getByTestId('deliveries-url').innerText()).toBe(good.url)
  await expect.poll(() => list.getByTestId('state').allInnerTexts()).toEqual(['Delivered'])
  await page.getByTestId('deliveries').getByText('Response', { exact: true }).click()
  expect(await page.getByTestId('excerpt').innerText()).toBe(HOSTILE)
  expect(await page.getByTestId('deliveries').innerText()).toMatch(/1 attempt[\s\S]*status 200[\s\S]*\d+ ms/)
  await page.getByTestId('resend').click()
  await expect.poll(() => page.getByTestId('deliveries-done').innerText()).toContain('is being sent again')
  await expect.poll(() => received.map(({ type }) => type)).toEqual(['dataset.created', 'dataset.created'])
  await expect.poll(() => list.getByTestId('state').allInnerTexts()).toEqual(['Delivered', 'Delivered'])
  await world.owner.updateDataset({ params: { dataset_id: dataset.id }, body: { guidelines: 'Read.' } })
  await page.getByTestId('filter-event').selectOption('dataset.updated')
  await expect.poll(() => new URL(page.url()).search).toBe('?event=dataset.updated')
  await expect.poll(() => list.count().then(count => count > 0 || page.reload().then(() => false))).toBe(true)
  await page.getByTestId('filter-status').selectOption('failed')
  await expect.poll(() => page.getByTestId('empty').innerText()).toBe('Nothing matches these filters.')
  expect(await hasScriptRun(page)).toBe(false)
  await closeSeat(seat)
})

test('a delivery that fails waits for its next attempt, and the webhook says that it fails', async () => {
  await aWebhook('/broken')
  await aDataset()
  await expect.poll(() => received.length).toBe(1)
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/webhooks')
  await expect.poll(() => rows(page).getByTestId('state').innerText()).toBe('Failing')
  await expect.poll(() => rows(page).getByTestId('webhook-message').innerText()).toContain('status 500')
  expect(await rows(page).innerText()).toContain('1 event waiting')
  await rows(page).getByTestId('open-deliveries').click()
  await expect.poll(() => page.getByTestId('deliveries').innerText()).toMatch(/status 500[\s\S]*next attempt[\s\S]*Waiting/)
  expect(await page.getByTestId('resend').count()).toBe(0)
  await closeSeat(seat)
})

test('older deliveries come page by page', async () => {
  const { id } = await aWebhook()
  for (let i = 0; i < 52; i++) await aDataset()
  await expect.poll(() => received.length).toBe(52)
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto(`admin/webhooks/${id}`)
  await expect.poll(() => page.getByTestId('delivery').count()).toBe(50)
  await page.getByTestId('older').click()
  await expect.poll(() => page.getByTestId('delivery').count()).toBe(52)
  expect(await page.getByTestId('older').count()).toBe(0)
  await closeSeat(seat)
})

test('another owner changes and deletes meanwhile: nothing of theirs is overwritten, and the page says what happened', async () => {
  const webhook = await aWebhook()
  const other = await addOwner('second')
  const seat = await sitAsOwner({ allow: [/404/] })
  const { page } = seat
  const params = { webhook_id: webhook.id }
  await page.goto('admin/webhooks')
  await rows(page).getByTestId('edit').click()
  await page.getByTestId('webhook-description').fill('Mine')
  await other.client.updateWebhook({ params, body: { url: `${receiver}/in/theirs` } })
  await page.getByTestId('webhook-save').click()
  await rows(page).getByText('Mine').waitFor()
  expect(await rows(page).getByRole('heading').innerText()).toBe(`${receiver}/in/theirs`)
  await rows(page).getByTestId('edit').click()
  await page.getByTestId('webhook-description').fill('Too late')
  await other.client.deleteWebhook({ params })
  await page.getByTestId('webhook-save').click()
  await expect.poll(() => page.getByTestId('webhooks-done').innerText()).toContain('Another owner deleted this webhook')
  await page.getByTestId('empty').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.goto(`admin/webhooks/${webhook.id}`)
  await page.getByRole('alert').waitFor()
  await closeSeat(seat)
})

test('what the server refuses is said beside what it is about', async () => {
  const urls = Array.from({ length: 10 }, (_, i) => `/in/${i}`)
  for (const path of urls) await aWebhook(path)
  const seat = await sitAsOwner({ allow: [/422/] })
  const { page } = seat
  await page.goto('admin/webhooks')
  await expect.poll(() => rows(page).count()).toBe(10)
  await page.getByTestId('new-webhook').click()
  await page.getByTestId('webhook-url').fill(`${receiver}/in/11`)
  await page.getByTestId('all-events').click()
  await page.getByTestId('webhook-save').click()
  await page.getByRole('dialog').getByRole('alert').getByText('10').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await expect.poll(() => focused(page)).toBe('new-webhook')
  await closeSeat(seat)
})

test('others see neither the links nor the page', () => expectNothingForOthers('admin/webhooks', 'webhooks'))
