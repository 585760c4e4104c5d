/** Users and invitations, in a real browser. */
import { expect, test } from 'vitest'
import { addOwner, closeSeat, expectNothingForOthers, HOSTILE, hasScriptRun, sitAs, sitAsOwner } from './admin.ts'
import { takeSeat } from './browser.ts'
import { OWN_SERVER, takeWorld, world } from './desk.ts'
import { addPerson, canSignIn, chooseAction, findUser, PASSWORD, readSecret, uniqueName, userRow } from './people-pages.ts'
import { changeRows } from './rows.ts'
import { label, seed, texts } from './seed.ts'

takeWorld(OWN_SERVER)

test('an owner adds a user, is told what is missing, and gets a password that works', async () => {
  const seat = await sitAsOwner({ allow: [/409/] })
  const { page } = seat
  const username = uniqueName('nina')
  await page.goto('admin/users')
  await page.getByTestId('add-user').focus()
  await page.keyboard.press('Enter')
  await page.getByTestId('user-save').click()
  await expect.poll(() => page.getByRole('alert').allInnerTexts()).toEqual(['Required.', 'Required.'])
  await page.getByTestId('user-username').fill(world.annotator.username)
  await page.getByTestId('user-first-name').fill(HOSTILE)
  await page.getByTestId('user-role').selectOption('admin')
  await page.getByRole('checkbox').first().check()
  await page.getByTestId('user-save').click()
  await page.getByRole('alert').getByText('This username is taken').waitFor()
  await page.getByTestId('user-username').fill(username)
  await page.keyboard.press('Enter')
  await page.getByTestId('secret-value').waitFor()
  // Escape does not close the dialog and lose the password.
  await page.keyboard.press('Escape')
  await page.getByRole('alert').getByText('will not be shown again').waitFor()
  const password = await readSecret(page)
  await userRow(page, username).waitFor()
  expect(await userRow(page, username).innerText()).toContain(HOSTILE)
  expect(await hasScriptRun(page)).toBe(false)
  expect(await canSignIn(username, password)).toBe(true)
  const user = await findUser(username)
  const { items } = await world.owner.listUserWorkspaces({ params: { user_id: user?.id ?? '' } })
  expect([user?.role, items.map(({ id }) => id)]).toEqual(['admin', [world.workspaceId]])
  await closeSeat(seat)
})

test('a link invites somebody, who creates their account, is signed in and sees the workspace; the link then ends', async () => {
  const dataset = await seed(world, {
    name: uniqueName('invited'),
    questions: [label('mood', ['happy', 'sad'])],
    records: texts(2),
  })
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/invitations')
  await page.getByTestId('empty').waitFor()
  await page.getByTestId('invite').click()
  await page.getByTestId('user-username').waitFor()
  await page.getByRole('checkbox').first().check()
  await page.getByTestId('user-save').click()
  await page.getByTestId('secret-value').waitFor()
  const link = await readSecret(page)
  await expect.poll(() => page.getByTestId('invitation').getByTestId('state').innerText()).toBe('Open')

  const guest = await takeSeat(world.server.url, { allow: [/401/, /409/] })
  const sent: string[] = []
  guest.context.on('request', request => sent.push(request.url()))
  await guest.page.goto(link)
  await guest.page.getByTestId('invitation-offer').getByText('You are invited as: Annotator.').waitFor()
  const username = uniqueName('guest')
  await guest.page.getByTestId('accept-username').fill(world.annotator.username)
  await guest.page.getByTestId('accept-first-name').fill('Greta')
  await guest.page.getByTestId('accept-password').fill(PASSWORD)
  await guest.page.getByTestId('accept').click()
  await guest.page.getByRole('alert').getByText('This username is taken').waitFor()
  await guest.page.getByTestId('accept-username').fill(username)
  await guest.page.getByTestId('accept').click()
  await guest.page.getByTestId('account').waitFor()
  await guest.page.goto(`dataset/${dataset}/annotation-mode`)
  await guest.page.getByTestId('account').waitFor()
  // The token is never part of a URL that is sent to a server.
  const token = link.split('#')[1] ?? 'none'
  expect(sent.filter(url => url.split('#')[0]?.includes(token))).toEqual([])
  expect(await canSignIn(username, PASSWORD)).toBe(true)

  await guest.page.goto('about:blank')
  await guest.page.goto(link)
  await guest.page.getByTestId('invitation-over').waitFor()
  await closeSeat(guest)
  await page.reload()
  await expect.poll(() => page.getByTestId('invitation').getByTestId('state').innerText()).toBe('Accepted')
  expect(await page.getByTestId('revoke').count()).toBe(0)
  await closeSeat(seat)
})

test('an invitation is revoked; a broken link and an ended one say what to do', async () => {
  const { token } = await world.owner.createInvitation({ body: { username: uniqueName('late') } })
  const seat = await sitAsOwner({ allow: [/409/, /404/] })
  const { page } = seat
  await page.goto('admin/invitations?status=open')
  await page.getByTestId('revoke').click()
  await page.getByTestId('confirm').click()
  await expect.poll(() => page.getByTestId('invitations-done').innerText()).toBe('The invitation was revoked.')
  await page.getByTestId('empty').waitFor()
  for (const address of [`invitation#${token}`, 'invitation', 'invitation#nonsense']) {
    await page.goto('about:blank')
    await page.goto(address)
    await page.getByTestId('invitation-over').getByText('ask for a new link').waitFor()
  }
  await closeSeat(seat)
})

test('somebody who is signed in is told so before they create another account', async () => {
  const username = uniqueName('second')
  const { token } = await world.owner.createInvitation({ body: { username } })
  const seat = await sitAs(world.annotator)
  const { page } = seat
  await page.goto(`invitation#${token}`)
  await page.getByTestId('signed-in-as').getByText(world.annotator.username).waitFor()
  expect(await page.getByTestId('accept-username').inputValue()).toBe(username)
  expect(await page.getByTestId('accept-username').getAttribute('readonly')).not.toBeNull()
  await page.getByTestId('accept-first-name').fill('Sam')
  await page.getByTestId('accept-password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByTestId('account').click()
  await page.getByText(`${username} · Annotator`).waitFor()
  await closeSeat(seat)
})

test('a user is searched, changed, gets a new password and a new key, is deactivated and reactivated', async () => {
  const { username, id, api_key } = await addPerson()
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/users')
  await page.getByTestId('search-users').fill(username)
  await expect.poll(() => page.getByTestId('user').count()).toBe(1)
  await chooseAction(page, username, 'edit')
  await page.getByTestId('user-last-name').fill('Roth')
  await page.getByTestId('user-role').selectOption('admin')
  await page.getByRole('checkbox').first().check()
  await page.getByTestId('user-save').click()
  await expect.poll(() => page.getByTestId('users-done').innerText()).toBe(`${username} was updated.`)
  expect(await findUser(username)).toMatchObject({ first_name: 'Lena', last_name: 'Roth', role: 'admin' })
  const { items } = await world.owner.listUserWorkspaces({ params: { user_id: id } })
  expect(items.map(workspace => workspace.id)).toEqual([world.workspaceId])

  await chooseAction(page, username, 'password')
  await page.getByTestId('confirm').click()
  const password = await readSecret(page)
  expect([await canSignIn(username, PASSWORD), await canSignIn(username, password)]).toEqual([false, true])
  await chooseAction(page, username, 'key')
  await page.getByTestId('confirm').click()
  const key = await readSecret(page)
  expect(key).not.toBe(api_key)
  expect((await findUser(username))?.api_key).toBe(key)

  await chooseAction(page, username, 'deactivate')
  await page.getByTestId('confirm').click()
  await expect.poll(() => userRow(page, username).getByTestId('state').innerText()).toBe('Deactivated')
  expect(await canSignIn(username, password)).toBe(false)
  await page.getByTestId('filter-state').selectOption('deactivated')
  await expect.poll(() => page.getByTestId('user').count()).toBe(1)
  await chooseAction(page, username, 'reactivate')
  await page.getByTestId('confirm').click()
  await page.getByTestId('empty').waitFor()
  expect(await canSignIn(username, password)).toBe(true)
  await closeSeat(seat)
})

test('before a user is deleted the page says what they have left, and keeps it under a pseudonym if asked to', async () => {
  const dataset = await seed(world, { name: uniqueName('left'), questions: [label('mood', ['happy', 'sad'])], records: texts(2) })
  const { items } = await world.annotator.client.searchMyRecords({ params: { dataset_id: dataset }, body: {} })
  const person = await addOwner(uniqueName('leaver'))
  for (const { record } of items) {
    const values = { mood: { value: 'happy' } }
    await person.client.createMyResponse({ params: { record_id: record.id }, body: { status: 'submitted', values } })
  }
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/users')
  await chooseAction(page, person.username, 'delete')
  await expect.poll(() => page.getByTestId('contributions').innerText()).toContain('2 answers and 0 comments in 1 dataset')
  expect(await page.getByTestId('delete-user').isDisabled()).toBe(true)
  await page.getByTestId('responses-keep').check()
  await page.getByTestId('delete-user').click()
  await expect.poll(() => page.getByTestId('users-done').innerText()).toBe(`${person.username} was deleted.`)
  expect(await userRow(page, person.username).count()).toBe(0)
  const progress = await world.owner.getDatasetProgress({ params: { dataset_id: dataset } })
  expect(progress.completed).toBe(2)
  await closeSeat(seat)
})

test('one’s own row offers nothing that would lock oneself out; what another owner deleted is said', async () => {
  const { username, id } = await addPerson()
  const seat = await sitAsOwner({ allow: [/404/] })
  const { page } = seat
  await page.goto('admin/users')
  await userRow(page, world.server.username).getByTestId('user-menu').click()
  await expect
    .poll(() => page.locator('[data-action]').evaluateAll(rows => rows.map(row => row.getAttribute('data-action'))))
    .toEqual(['edit'])
  await page.locator('[data-action=edit]').click()
  await page.getByTestId('user-username').waitFor()
  expect(await page.getByTestId('user-role').count()).toBe(0)
  await page.keyboard.press('Escape')
  await chooseAction(page, username, 'deactivate')
  await world.owner.deleteUser({ params: { user_id: id } })
  await page.getByTestId('confirm').click()
  await expect.poll(() => page.getByTestId('users-done').innerText()).toContain('Another owner deleted this user')
  expect(await userRow(page, username).count()).toBe(0)
  await closeSeat(seat)
})

test('a thousand users are shown piece by piece', async () => {
  const [row] = (await world.owner.listUsers()).items
  const text = `with recursive many (i) as (select 0 union all select i + 1 from many where i < 999)
    insert into users (id, first_name, last_name, username, role, password_hash, credentials_version, api_key_hash,
      api_key_encrypted, inserted_at, updated_at)
    select '0190b9d0-0000-7000-9000-' || printf('%012d', i), 'Many', null, 'many-' || i, 'annotator', '', 1, 'hmac:' || i,
      u.api_key_encrypted, u.inserted_at, u.updated_at from many join users u on u.id = ?`
  changeRows(world.server, text, [row?.id ?? ''])
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/users')
  await expect.poll(() => page.getByTestId('user').count()).toBe(50)
  await page.getByTestId('more').click()
  await expect.poll(() => page.getByTestId('user').count()).toBe(100)
  await page.getByTestId('search-users').fill('many-777')
  await expect.poll(() => page.getByTestId('user').count()).toBe(1)
  await closeSeat(seat)
})

test('others see neither the links nor the pages of users and invitations', async () => {
  await expectNothingForOthers('admin/users', 'users')
  await expectNothingForOthers('admin/invitations', 'invitations')
})
