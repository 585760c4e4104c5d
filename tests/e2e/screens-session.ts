/** Session problems: expired, covered, signed out with unsent answers. */
import type { Page } from 'playwright-core'
import { openDataset } from './annotation-page.ts'
import { type Screen, waitForLayout } from './screen.ts'

/** Removes the session cookie until `leave`. */
async function endSession(page: Page, act: () => Promise<unknown>) {
  const cookies = await page.context().cookies()
  await page.context().clearCookies()
  await act()
  await page.getByTestId('signed-out').waitFor()
  await page.context().addCookies(cookies)
  await waitForLayout(page)
}

const tellIdentity = (page: Page, userId: string | null) =>
  page.evaluate(id => {
    const channel = new BroadcastChannel('postil.identity')
    channel.postMessage(id)
    channel.close()
  }, userId)

/** The message that another tab would broadcast is sent directly. */
const covered = (name: string, userId: string | null): Screen => ({
  name,
  as: 'newcomer',
  open: async page => {
    await page.goto('')
    await page.getByTestId('dataset-list').waitFor()
    await tellIdentity(page, userId)
    await page.getByTestId('session-lock').waitFor()
  },
  leave: async page => {
    await page.goto('')
    await page.getByTestId('dataset-list').waitFor()
  },
})

export const SESSION: Screen[] = [
  {
    name: 'signed out while at work',
    as: 'annotator',
    open: async (page, { manyId }) => {
      await openDataset(page, manyId)
      await endSession(page, () => page.keyboard.press('1'))
    },
    leave: async page => {
      await page.goto('')
      await page.locator('[data-testid=connection][data-state=saved]').waitFor()
    },
  },
  covered('covered after a sign-out in another tab', null),
  covered('covered after somebody else signed in', '00000000-0000-7000-8000-000000000000'),
  {
    name: 'sign-out with unsent answers',
    as: 'annotator',
    isOver: true,
    open: async (page, { manyId }) => {
      await openDataset(page, manyId)
      await page.context().setOffline(true)
      await page.keyboard.press('1')
      await page.locator('[data-testid=connection][data-state=offline]').waitFor()
      await page.getByTestId('account').click()
      await page.getByTestId('sign-out').click()
      await page.getByTestId('sign-out-waiting').waitFor()
    },
    leave: async page => {
      await page.getByTestId('sign-out-waiting').getByRole('button').last().click()
      await page.context().setOffline(false)
      await page.locator('[data-testid=connection][data-state=saved]').waitFor()
    },
  },
]
