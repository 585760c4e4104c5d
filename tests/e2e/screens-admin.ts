/** Pages for owners: webhooks and their deliveries, background jobs, audit log. */
import type { Page } from 'playwright-core'
import { addJob, changeRows, newId, timeIn } from './rows.ts'
import { type Screen, waitForLayout } from './screen.ts'
import type { World } from './seed.ts'

/** Creates webhooks that are disabled immediately, so that nothing is sent. Returns the id of the one with deliveries. */
export async function seedAdmin({ owner, server }: World): Promise<string> {
  const add = async (url: string, description: string | null) => {
    const { id } = await owner.createWebhook({ body: { url, events: ['record.completed', 'response.created'], description } })
    await owner.updateWebhook({ params: { webhook_id: id }, body: { enabled: false } })
    return id
  }
  const id = await add(`https://hooks.example.org/${'a-long-path/'.repeat(12)}`, 'Tells the archive what was answered.')
  const paused = await add('https://receiver.example.org/in', null)
  const message = 'Every delivery has failed; what waited was given up. The last error: The target answered with status 500.'
  changeRows(
    server,
    'update webhooks set paused_at = ?, failing_since = ?, message = ?, previous_secret_until = ? where id = ?',
    [timeIn(-60), timeIn(-260_000), message, timeIn(80_000), paused],
  )
  addDelivery(server, id, { status: 'succeeded', response_status: 200, response_excerpt: '{"accepted": true}', error: null })
  addDelivery(server, id, { status: 'failed', response_status: 500, response_excerpt: 'x'.repeat(400), error: null })
  addDelivery(server, id, {
    status: 'failed',
    response_status: null,
    response_excerpt: null,
    error: 'No answer within 20 seconds.',
  })
  addJob(server, { error: 'The disk is full: 12 of 40 records were removed.', payload: { done: 12, total: 40 } })
  addJob(server, { name: 'bulk-responses', error: 'Begun 4 times without progress.' })
  addJob(server, { name: 'a-kind-of-a-later-release-with-a-very-long-name', status: 'finished', attempts: 0 })
  return id
}

function addDelivery(server: { home: string }, webhookId: string, outcome: Record<string, string | number | null>): void {
  const id = newId()
  const now = timeIn(0)
  const row = {
    id,
    event_no: 0,
    position: 0,
    event: 'response.created',
    occurred_at: now,
    order_key: id,
    record_id: newId(),
    dataset_id: newId(),
    attempts: 4,
    duration_ms: 1234,
    inserted_at: now,
    updated_at: now,
    ...outcome,
  }
  const names = Object.keys(row)
  const text = `insert into webhook_deliveries (webhook_no, ${names.join()})
    select no, ${names.map(() => '?').join()} from webhooks where id = ?`
  changeRows(server, text, [...Object.values(row), webhookId])
}

async function openPage(page: Page, path: string, testid: string) {
  await page.goto(path)
  await page.getByTestId(testid).waitFor()
  await waitForLayout(page)
}

export const ADMIN: Screen[] = [
  { name: 'admin: webhooks', as: 'owner', open: page => openPage(page, 'admin/webhooks', 'webhooks') },
  {
    name: 'admin: a new webhook, refused',
    as: 'owner',
    isOver: true,
    open: async page => {
      await openPage(page, 'admin/webhooks', 'webhooks')
      await page.getByTestId('new-webhook').click()
      await page.getByTestId('webhook-save').click()
      await page.getByRole('dialog').getByRole('alert').first().waitFor()
    },
  },
  ...(['ask-rotate', 'delete'] as const).map(
    (handle): Screen => ({
      name: `admin: before a webhook changes: ${handle}`,
      as: 'owner',
      isOver: true,
      open: async page => {
        await openPage(page, 'admin/webhooks', 'webhooks')
        await page.getByTestId(handle).first().click()
        await page.getByRole('alertdialog').waitFor()
      },
    }),
  ),
  {
    name: 'admin: deliveries',
    as: 'owner',
    open: async (page, { webhookId }) => {
      await openPage(page, `admin/webhooks/${webhookId}`, 'deliveries')
      await page.locator('summary').last().click()
      await page.getByTestId('excerpt').last().waitFor()
    },
  },
  {
    name: 'admin: no delivery matches',
    as: 'owner',
    open: (page, { webhookId }) => openPage(page, `admin/webhooks/${webhookId}?status=waiting`, 'empty'),
  },
  { name: 'admin: jobs', as: 'owner', open: page => openPage(page, 'admin/jobs', 'jobs') },
  { name: 'admin: audit log', as: 'owner', open: page => openPage(page, 'admin/audit-log', 'audit-entries') },
  {
    name: 'admin: audit log of a person who does not exist',
    as: 'owner',
    open: async page => {
      await openPage(page, 'admin/audit-log?from=2020-01-01', 'audit-entries')
      await page.getByTestId('filter-person').fill('nobody like this')
      await page.getByTestId('filter-person').press('Enter')
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'admin: for owners only', as: 'annotator', open: page => openPage(page, 'admin/jobs', 'owners-only') },
]
