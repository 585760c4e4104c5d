/** Importing users from a CSV file, in a real browser. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { parseCsv } from '../../packages/web/src/features/admin/users/csv.ts'
import { closeSeat, sitAsOwner } from './admin.ts'
import { OWN_SERVER, takeWorld, world } from './desk.ts'
import { canSignIn, uniqueName, userRow } from './people-pages.ts'

takeWorld(OWN_SERVER)

const csvFile = (text: string) => ({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
async function saved(page: Page): Promise<string[][]> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('import-save').click()])
  const text = await readFile(await download.path(), 'utf8')
  return (parseCsv(text) ?? []).map(({ cells }) => cells)
}

test('people are imported from a CSV file: rows are checked, the others created, and the result has their passwords', async () => {
  const [first, second] = [uniqueName('csv'), uniqueName('csv')]
  const { name } = await world.owner.getWorkspace({ params: { workspace_id: world.workspaceId } })
  const rows = [`${first},Ada,admin,${name}`, `${second},=1+1,,`, `${first},Twice,,`, ',Nobody,,', `x,Y,king,lost`]
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/users')
  await page.getByTestId('import-people').click()
  await page.getByTestId('people-file').setInputFiles(csvFile('name\nlena'))
  await page.getByTestId('file-issue').getByText('“username”').waitFor()
  await page.getByTestId('people-file').setInputFiles(csvFile(`username,first_name,role,workspaces\n${rows.join('\n')}`))
  await expect.poll(() => page.getByTestId('import-check').innerText()).toContain('2 rows can be imported, 3 rows have problems')
  const issues = await page.locator('[data-testid=import-row][data-look=bad]').allInnerTexts()
  expect(issues.join(' ')).toMatch(
    /appears twice in the file[\s\S]*username is missing[\s\S]*Unknown role “king”[\s\S]*Unknown workspace “lost”/,
  )
  await page.getByTestId('import-run').click()
  await expect.poll(() => page.getByTestId('import-progress').innerText()).toBe('2 of 2 done')
  // The dialog does not close before the passwords are downloaded.
  await page.getByTestId('import-close').click()
  await page.getByTestId('import-unsaved').getByText('have not downloaded').waitFor()
  const [header, ...result] = await saved(page)
  expect(header?.slice(-2)).toEqual(['result', 'password'])
  expect(result.map(cells => cells.slice(0, -1))).toEqual([
    [first, 'Ada', '', 'admin', name, 'Created'],
    [second, '=1+1', '', 'annotator', '', 'Created'],
  ])
  for (const cells of result) expect(await canSignIn(cells[0] ?? '', cells.at(-1) ?? '')).toBe(true)
  await page.getByTestId('import-close').click()
  await userRow(page, second).waitFor()
  await closeSeat(seat)
})

test('an import that loses the server goes on where it stopped, and creates nobody twice', async () => {
  const names = [uniqueName('lost'), uniqueName('lost'), uniqueName('lost')]
  const seat = await sitAsOwner({ allow: [/409/, /ERR_FAILED/] })
  const { page } = seat
  await page.goto('admin/users')
  let calls = 0
  await page.route('**/api/v1/users', async route => {
    if (route.request().method() !== 'POST' || ++calls !== 2) return route.continue()
    // The server has created the users, but the response is lost.
    await route.fetch()
    await route.abort()
  })
  await page.getByTestId('import-people').click()
  await page
    .getByTestId('people-file')
    .setInputFiles(csvFile(`username,first_name\n${names.map(name => `${name},Lee`).join('\n')}`))
  await page.getByTestId('import-run').click()
  await page.getByTestId('import-stopped').waitFor()
  await page.getByTestId('import-continue').click()
  await expect.poll(() => page.getByTestId('import-progress').innerText()).toBe('3 of 3 done')
  const [, ...result] = await saved(page)
  expect(result.map(cells => [cells[0], cells[5]])).toEqual(names.map(name => [name, 'Created']))
  for (const cells of result) expect(await canSignIn(cells[0] ?? '', cells.at(-1) ?? '')).toBe(true)
  await closeSeat(seat)
})

test('an import can make invitation links instead of passwords', async () => {
  const username = uniqueName('linked')
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/users')
  await page.getByTestId('import-people').click()
  await page.getByTestId('import-invitation').check()
  await page.getByTestId('people-file').setInputFiles(csvFile(`username\n${username}`))
  await page.getByTestId('import-run').click()
  await expect.poll(() => page.getByTestId('import-progress').innerText()).toBe('1 of 1 done')
  const [, result] = await saved(page)
  const token = result?.at(-1)?.split('#')[1] ?? ''
  expect(await world.owner.lookUpInvitation({ body: { token } })).toMatchObject({ username })
  await closeSeat(seat)
})
