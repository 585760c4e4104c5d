/** The annotation page: the record, overlays, the bulk view, and offline. */
import type { Page } from 'playwright-core'
import { currentRecord, openDataset } from './annotation-page.ts'
import type { Everything } from './everything.ts'
import { type Screen, waitForLayout } from './screen.ts'

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
  await waitForLayout(page)
}

const hasState = (page: Page, state: string) => page.locator(`[data-testid=connection][data-state=${state}]`).waitFor()

/** Waits until everything is rendered: templates have reported their height, markdown is parsed. */
async function openRecord(page: Page, { datasetId }: Everything, query = '') {
  await openDataset(page, datasetId, query)
  await page.waitForFunction(() => document.querySelector('[data-testid=record]:not([hidden]) .place.waiting') === null)
  await waitForLayout(page)
}

/** Like `openRecord`, but does not reload if the page is already open; only the overlay is new. */
async function returnToRecord(page: Page, everything: Everything) {
  const { pathname, search } = new URL(page.url())
  const isThere = pathname.endsWith(`/${everything.datasetId}/annotation-mode`) && /^(\?page=1)?$/.test(search)
  const over = page.locator('dialog[open], :popover-open')
  for (let i = 0; isThere && i < 3 && (await over.count()) > 0; i++) await press(page, 'Escape')
  if (!isThere || (await over.count()) > 0) return openRecord(page, everything)
  await page.locator('[data-pane=record]').focus()
}

/** Opens a drawer from the menu of the record that has two responses. */
const openDrawer =
  (at: number) =>
  async (page: Page, { manyId }: Everything) => {
    await openDataset(page, manyId, '?status=submitted')
    await page.locator('.record-head [aria-haspopup=menu]').last().click()
    await page.getByRole('menuitem').nth(at).click()
    await page.getByRole('dialog').first().waitFor()
    await waitForLayout(page)
  }

async function openBulk(page: Page, id: string) {
  await page.goto(`dataset/${id}/annotation-mode?page=1~10`)
  await page.getByTestId('record').first().waitFor()
  await waitForLayout(page)
}

/** The annotator has answered in another browser meanwhile, so the server rejects this answer. */
async function answerInVain(page: Page, { manyId, answerElsewhere }: Everything) {
  await openDataset(page, manyId)
  await answerElsewhere((await currentRecord(page).getAttribute('data-record-id')) ?? '')
  await page.keyboard.press('1')
  await hasState(page, 'attention')
}

async function openOutbox(page: Page) {
  await page.getByTestId('connection').getByRole('button').click()
  await page.getByTestId('outbox').waitFor()
  await waitForLayout(page)
}

async function giveUp(page: Page) {
  if (!(await page.getByTestId('outbox').isVisible())) await openOutbox(page)
  await page.getByTestId('outbox-drop').first().click()
  await hasState(page, 'saved')
}

async function goOnline(page: Page) {
  await page.context().setOffline(false)
  await hasState(page, 'saved')
}

const RECORDS: Screen[] = [
  { name: 'record', as: 'annotator', open: openRecord },
  { name: 'record of a lead', as: 'lead', open: openRecord },
  {
    name: 'record with what is missing',
    as: 'annotator',
    open: async (page, everything) => {
      await openRecord(page, everything, '?page=2')
      await press(page, 'Alt+Backspace', 'Enter')
    },
  },
  {
    name: 'record with a search',
    as: 'annotator',
    open: (page, everything) =>
      openRecord(page, everything, `?search=${everything.word}&sort=record.inserted_at.desc&metadata=${everything.filter}`),
  },
  {
    name: 'similar records',
    as: 'annotator',
    open: (page, everything) =>
      openRecord(
        page,
        everything,
        `?similarity=record.${everything.recordIds[3]}.vector.${everything.vector}.limit.10.order.most`,
      ),
  },
  {
    name: 'filters',
    as: 'annotator',
    open: async (page, everything) => {
      await openRecord(page, everything, `?metadata=${everything.filter}`)
      await press(page, 'f')
      await page.getByTestId('filter-badge').first().click()
      await waitForLayout(page)
    },
  },
  {
    name: 'panels open',
    as: 'annotator',
    open: async (page, everything) => {
      await openRecord(page, everything)
      // The guidelines open automatically on the first visit.
      if (!(await page.locator('.page .guide').isVisible())) await press(page, 'i')
      await press(page, 'p')
    },
  },
  {
    name: 'labels of a mark',
    as: 'annotator',
    isOver: true,
    open: async (page, everything) => {
      await returnToRecord(page, everything)
      await page.getByTestId('span').first().click()
      await page.getByTestId('label-list').waitFor()
      await waitForLayout(page)
    },
  },
  {
    name: 'empty queue',
    as: 'annotator',
    open: async (page, { datasetId }) => {
      await page.goto(`dataset/${datasetId}/annotation-mode?status=discarded`)
      await page.getByTestId('empty').waitFor()
    },
  },
  {
    name: 'dataset that is gone',
    as: 'annotator',
    open: async page => {
      await page.goto('dataset/00000000-0000-7000-8000-000000000000/annotation-mode')
      await page.getByRole('heading', { level: 1 }).first().waitFor()
    },
  },
]

const MENUS = ['queue-menu', 'sort', 'views', 'account', 'theme'].map(
  (handle): Screen => ({
    name: `menu: ${handle}`,
    as: 'annotator',
    isOver: true,
    open: async (page, everything) => {
      await returnToRecord(page, everything)
      await page.getByTestId(handle).first().click()
      await waitForLayout(page)
    },
  }),
)

const KEYS = { m: 'metadata', g: 'go to', '?': 'keys', 'Control+k': 'palette' }

const DIALOGS: Screen[] = [
  ...Object.entries(KEYS).map(
    ([key, name]): Screen => ({
      name,
      as: 'annotator',
      isOver: true,
      open: async (page, everything) => {
        await returnToRecord(page, everything)
        await press(page, key)
        await page.getByRole('dialog').first().waitFor()
      },
    }),
  ),
  {
    name: 'comments',
    as: 'annotator',
    isOver: true,
    open: async (page, { manyId }) => {
      await openDataset(page, manyId, '?status=submitted')
      await press(page, 'c')
      await page.getByRole('dialog').first().waitFor()
    },
  },
  { name: 'history', as: 'annotator', isOver: true, open: openDrawer(1) },
  {
    name: 'recent records',
    as: 'annotator',
    isOver: true,
    open: async (page, { manyId }) => {
      await openDataset(page, manyId)
      await page.locator('.panel-head > .icon-button').dispatchEvent('click')
      await page.getByRole('dialog').first().waitFor()
      await waitForLayout(page)
    },
  },
]

const MANY: Screen[] = [
  { name: 'bulk', as: 'lead', isWide: true, open: (page, { datasetId }) => openBulk(page, datasetId) },
  {
    name: 'bulk with ticked records',
    as: 'lead',
    isWide: true,
    open: async (page, { datasetId }) => {
      await openBulk(page, datasetId)
      await page.getByTestId('select-all').click()
      await waitForLayout(page)
    },
  },
  {
    name: 'bulk: before many are answered',
    as: 'lead',
    isOver: true,
    isWide: true,
    open: async (page, { manyId }) => {
      await openBulk(page, manyId)
      await page.getByTestId('select-all').click()
      await page.getByTestId('select-all-matching').click()
      await page.getByTestId('option').first().click()
      await page.getByTestId('submit').click()
      await page.getByTestId('confirm-bulk').waitFor()
    },
  },
]

const UNSENT: Screen[] = [
  { name: 'answer that was refused', as: 'annotator', open: answerInVain, leave: giveUp },
  {
    name: 'outbox',
    as: 'annotator',
    isOver: true,
    open: async (page, everything) => {
      await answerInVain(page, everything)
      await openOutbox(page)
    },
    leave: giveUp,
  },
  {
    name: 'outbox on another page',
    as: 'annotator',
    isOver: true,
    open: async (page, everything) => {
      await answerInVain(page, everything)
      await page.locator('.mark').first().click()
      await page.getByTestId('dataset-card').first().waitFor()
      await openOutbox(page)
    },
    leave: giveUp,
  },
  {
    name: 'without a network',
    as: 'annotator',
    open: async (page, { manyId }) => {
      await openDataset(page, manyId)
      await page.context().setOffline(true)
      await page.keyboard.press('1')
      await hasState(page, 'offline')
    },
    leave: goOnline,
  },
  {
    name: 'outbox without a network',
    as: 'annotator',
    isOver: true,
    open: async (page, { manyId }) => {
      await openDataset(page, manyId)
      await page.context().setOffline(true)
      await page.keyboard.press('2')
      await hasState(page, 'offline')
      await openOutbox(page)
    },
    leave: goOnline,
  },
]

export const ANNOTATING: Screen[] = [...RECORDS, ...MENUS, ...DIALOGS, ...MANY, ...UNSENT]
