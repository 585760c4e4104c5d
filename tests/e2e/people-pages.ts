/** Users on the admin pages: created through the API, located on screen. */
import type { Page } from 'playwright-core'
import { world } from './desk.ts'

let made = 0
export const uniqueName = (name: string) => `${name}-${++made}`
export const PASSWORD = 'a long password'
export const addPerson = (username = uniqueName('person')) =>
  world.owner.createUser({ body: { username, first_name: 'Lena', role: 'annotator', password: PASSWORD } })

export const userRow = (page: Page, username: string) =>
  page.getByTestId('user').filter({ has: page.getByText(username, { exact: true }) })
export async function chooseAction(page: Page, username: string, action: string): Promise<void> {
  await userRow(page, username).getByTestId('user-menu').click()
  await page.locator(`[data-action="${action}"]`).click()
}
/** Returns the secret on screen and closes the dialog. */
export async function readSecret(page: Page): Promise<string> {
  const value = await page.getByTestId('secret-value').inputValue()
  await page.getByTestId('secret-done').click()
  return value
}
export const canSignIn = async (username: string, password: string) => {
  const body = JSON.stringify({ username, password })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${world.server.url}/api/v1/session`, { method: 'POST', headers, body })).status === 201
}
export const findUser = async (username: string) => (await world.owner.listUsers()).items.find(user => user.username === username)
