/** The audit log for owners, in a real browser. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { addOwner, closeSeat, expectNothingForOthers, HOSTILE, hasScriptRun, sitAs, sitAsOwner } from './admin.ts'
import { OWN_SERVER, takeWorld, world } from './desk.ts'
import { dress } from './screens.ts'

takeWorld(OWN_SERVER)

test('entries name the action, the person, the target and the details, all of it as text', async () => {
  const target = await world.owner.createUser({
    body: { username: HOSTILE, first_name: 'Hostile', role: 'annotator', password: 'hostile-password' },
  })
  await world.owner.updateUser({ params: { user_id: target.id }, body: { role: 'admin' } })
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('')
  await page.getByTestId('dataset-list').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('audit log')
  await page.keyboard.press('Enter')
  await page.getByTestId('audit-entries').waitFor()
  const created = page.locator('li', { has: page.locator('[data-action="user.created"]') }).filter({ hasText: '<img' })
  expect(await created.getByTestId('audit-target').innerText()).toBe(HOSTILE)
  expect(await created.getByTestId('audit-actor').innerText()).toBe(world.server.username)
  const updated = page.locator('li', { has: page.locator('[data-action="user.updated"]') }).first()
  expect(await updated.getByTestId('audit-details').innerText()).toMatch(/role[\s\S]*annotator[\s\S]*admin/)
  expect(await hasScriptRun(page)).toBe(false)
  await closeSeat(seat)
})

test('filters by action, person and day stand in the address and can be cleared', async () => {
  const other = await addOwner('olga')
  await other.client.createWorkspace({ body: { name: `of-olga-${randomUUID()}` } })
  await world.owner.createWorkspace({ body: { name: `of-owner-${randomUUID()}` } })
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/audit-log')
  const entries = page.getByTestId('audit-entry')
  const listed = () => entries.evaluateAll(rows => rows.map(row => (row as HTMLElement).dataset.action))
  await page.getByTestId('filter-action').selectOption('workspace.created')
  await expect.poll(async () => new Set(await listed())).toEqual(new Set(['workspace.created']))
  await page.getByTestId('filter-person').fill('olga')
  await page.getByTestId('filter-person').press('Enter')
  await expect.poll(listed).toEqual(['workspace.created'])
  expect(await page.getByTestId('audit-target').innerText()).toContain('of-olga')
  const { searchParams } = new URL(page.url())
  expect(Object.fromEntries(searchParams)).toEqual({ action: 'workspace.created', actor: other.id })
  await page.reload()
  await expect.poll(() => page.getByTestId('filter-person').inputValue()).toBe('olga')
  await expect.poll(listed).toEqual(['workspace.created'])
  await page.getByTestId('filter-to').fill('2020-01-01')
  await page.getByTestId('filter-to').press('Tab')
  await expect.poll(() => page.getByTestId('empty').innerText()).toBe('Nothing matches these filters.')
  await page.getByTestId('clear-filters').click()
  await expect.poll(async () => (await listed()).length).toBeGreaterThan(3)
  expect(new URL(page.url()).search).toBe('')
  await page.getByTestId('filter-person').fill('nobody like this')
  await page.getByTestId('filter-person').press('Tab')
  await page.getByRole('alert').getByText('No user is called “nobody like this”.').waitFor()
  // A name in the list also sets the filter.
  await page.getByTestId('audit-actor').filter({ hasText: 'olga' }).first().click()
  await expect.poll(() => new URL(page.url()).searchParams.get('actor')).toBe(other.id)
  await closeSeat(seat)
})

test('times are those of the reader’s zone, and so are days', async () => {
  const name = `zone-${randomUUID()}`
  await world.owner.createWorkspace({ body: { name } })
  const { items } = await world.owner.listAuditLog({ query: { action: ['workspace.created'], limit: 1 } })
  const time = new Date(`${items[0]?.inserted_at}Z`)
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/audit-log?action=workspace.created')
  const shown = () => page.getByTestId('audit-time').first().innerText()
  const inZone = (timeZone: string) =>
    new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(time)
  await expect.poll(shown).toBe(inZone('Europe/Berlin'))
  await dress(page, { timeZone: 'Pacific/Kiritimati' })
  await expect.poll(shown).toBe(inZone('Pacific/Kiritimati'))
  // Kiritimati is 14 hours ahead of UTC; the filter uses the day there.
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Kiritimati' }).format(time)
  await page.goto(`admin/audit-log?action=workspace.created&from=${day}&to=${day}`)
  await page.getByTestId('audit-target').getByText(name).waitFor()
  await closeSeat(seat)
})

test('older entries come page by page', async () => {
  const other = await addOwner('paula')
  for (let i = 0; i < 55; i++) await other.client.createWorkspace({ body: { name: `page-${i}-${randomUUID()}` } })
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto(`admin/audit-log?actor=${other.id}`)
  await expect.poll(() => page.getByTestId('audit-entry').count()).toBe(50)
  await page.getByTestId('older').focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByTestId('audit-entry').count()).toBe(55)
  expect(await page.getByTestId('older').count()).toBe(0)
  const names = await page.getByTestId('audit-target').allInnerTexts()
  expect(new Set(names).size).toBe(55)
  await closeSeat(seat)
})

test('an owner who was made an annotator meanwhile is told so', async () => {
  const other = await addOwner('former')
  const seat = await sitAs(other, { allow: [/403/] })
  const { page } = seat
  await page.goto('admin/audit-log')
  await page.getByTestId('audit-entries').waitFor()
  await world.owner.updateUser({ params: { user_id: other.id }, body: { role: 'annotator' } })
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.getByRole('alert').getByText('Only owners of this server can open this page.').first().waitFor()
  await closeSeat(seat)
})

test('others see neither the links nor the page', () => expectNothingForOthers('admin/audit-log', 'audit-entries'))
