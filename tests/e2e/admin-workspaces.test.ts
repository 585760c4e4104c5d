/** Workspaces for owners and admins, in a real browser. */
import { expect, test } from 'vitest'
import { closeSeat, sitAs, sitAsOwner } from './admin.ts'
import { OWN_SERVER, takeWorld, world } from './desk.ts'
import { addPerson, uniqueName } from './people-pages.ts'

takeWorld(OWN_SERVER)

test('a workspace is created, gets and loses a member, and is deleted when it is empty', async () => {
  const { username } = await addPerson()
  const seat = await sitAsOwner({ allow: [/409/] })
  const { page } = seat
  const name = uniqueName('space')
  await page.goto('admin/workspaces')
  await page.getByTestId('new-workspace').click()
  await page.getByTestId('workspace-name').fill(name)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByTestId('workspace-title').innerText()).toBe(name)
  await page.getByTestId('no-members').waitFor()
  await page.getByTestId('member-name').fill('nobody at all')
  await page.getByTestId('member-add').click()
  await page.getByRole('alert').getByText('No user is called').waitFor()
  await page.getByTestId('member-name').fill(username)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByTestId('member').innerText()).toContain(username)
  await page.getByTestId('remove-member').click()
  await page.getByTestId('confirm').click()
  await page.getByTestId('no-members').waitFor()

  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const dataset = await world.owner.createDataset({ body: { name: uniqueName('inside'), workspace_id: id } })
  await page.reload()
  await page.getByTestId('workspace-datasets').getByText(dataset.name).waitFor()
  expect(await page.getByTestId('delete-workspace').count()).toBe(0)
  await world.owner.deleteDataset({ params: { dataset_id: dataset.id } })
  await page.reload()
  await page.getByTestId('delete-workspace').click()
  await page.getByTestId('confirm').click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/admin/workspaces')
  await page.getByTestId('new-workspace').click()
  await page
    .getByTestId('workspace-name')
    .fill((await world.owner.getWorkspace({ params: { workspace_id: world.workspaceId } })).name)
  await page.getByTestId('workspace-save').click()
  await page.getByRole('alert').getByText('A workspace with this name already exists.').waitFor()
  await closeSeat(seat)
})

test('an admin sees the workspaces they belong to and removes members, but is offered nothing more', async () => {
  const { username, id } = await addPerson()
  await world.owner.addWorkspaceUser({ params: { workspace_id: world.workspaceId }, body: { user_id: id } })
  const other = await world.owner.createWorkspace({ body: { name: uniqueName('foreign') } })
  const seat = await sitAs(world.admin, { allow: [/403/] })
  const { page } = seat
  const asked: string[] = []
  page.on('response', answer => void (answer.status() === 403 && asked.push(answer.url())))
  await page.goto('')
  await page.getByTestId('account').click()
  await page.getByTestId('administration').click()
  await expect.poll(() => page.getByTestId('workspace').count()).toBe(1)
  expect(await page.locator('[data-tab]').count()).toBe(1)
  expect(await page.getByTestId('new-workspace').count()).toBe(0)
  await page.getByTestId('workspace').getByRole('link').click()
  const member = page.getByTestId('member').filter({ hasText: username })
  await member.waitFor()
  expect(await page.getByTestId('member-name').count()).toBe(0)
  expect(await page.getByTestId('delete-workspace').count()).toBe(0)
  await member.getByTestId('remove-member').click()
  await page.getByTestId('confirm').click()
  await expect.poll(() => member.count()).toBe(0)
  expect(asked).toEqual([])
  await page.goto(`admin/workspaces/${other.id}`)
  await page.getByTestId('workspace-missing').waitFor()
  await closeSeat(seat)
})
