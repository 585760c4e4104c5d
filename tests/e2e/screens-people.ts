/** Users, invitations and workspaces, and the page of an invitation link. */
import type { Page } from 'playwright-core'
import { type Screen, waitForLayout } from './screen.ts'
import type { World } from './seed.ts'

/** Returns the token of an open invitation. */
export async function seedInvitation({ owner, workspaceId }: World): Promise<string> {
  const { token } = await owner.createInvitation({ body: { workspace_ids: [workspaceId] } })
  return token
}

async function openPage(page: Page, path: string, testid: string) {
  // Changing only the fragment would not reload the page.
  await page.goto('about:blank')
  await page.goto(path)
  await page.getByTestId(testid).first().waitFor()
  await waitForLayout(page)
}

/** A dialog of the second user. */
const dialogOf = (action: string): Screen => ({
  name: `people: ${action}`,
  as: 'owner',
  isOver: true,
  open: async page => {
    await openPage(page, 'admin/users', 'users')
    await page.getByTestId('user-menu').nth(1).click()
    await page.locator(`[data-action=${action}]`).click()
    await page.locator('dialog[open]').waitFor()
    await waitForLayout(page)
  },
})

const CSV = 'username,first_name,role,workspaces\nlena,Lena,annotator,\n,Omar,king,lost'

export const PEOPLE: Screen[] = [
  { name: 'people: users', as: 'owner', open: page => openPage(page, 'admin/users', 'users') },
  {
    name: 'people: a new user, refused',
    as: 'owner',
    isOver: true,
    open: async page => {
      await openPage(page, 'admin/users', 'users')
      await page.getByTestId('add-user').click()
      await page.getByTestId('user-save').click()
      await page.getByRole('dialog').getByRole('alert').first().waitFor()
    },
  },
  dialogOf('edit'),
  dialogOf('password'),
  dialogOf('delete'),
  {
    name: 'people: a CSV file with problems',
    as: 'owner',
    isOver: true,
    open: async page => {
      await openPage(page, 'admin/users', 'users')
      await page.getByTestId('import-people').click()
      const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) }
      await page.getByTestId('people-file').setInputFiles(file)
      await page.getByTestId('import-check').waitFor()
    },
  },
  { name: 'people: invitations', as: 'owner', open: page => openPage(page, 'admin/invitations', 'invitations') },
  {
    name: 'people: a link that is shown once',
    as: 'owner',
    isOver: true,
    open: async page => {
      await openPage(page, 'admin/invitations', 'invitations')
      await page.getByTestId('invite').click()
      await page.getByTestId('user-save').click()
      await page.getByTestId('secret-value').waitFor()
    },
  },
  { name: 'people: workspaces', as: 'owner', open: page => openPage(page, 'admin/workspaces', 'workspaces') },
  {
    name: 'people: a workspace',
    as: 'owner',
    open: async page => {
      await openPage(page, 'admin/workspaces', 'workspaces')
      await page.getByTestId('workspace').first().getByRole('link').click()
      await page.getByTestId('members').waitFor()
      await waitForLayout(page)
    },
  },
  {
    name: 'people: an invitation',
    as: 'nobody',
    open: (page, { invitation }) => openPage(page, `invitation#${invitation}`, 'invitation-offer'),
  },
  { name: 'people: an invitation that is over', as: 'nobody', open: page => openPage(page, 'invitation', 'invitation-over') },
]
