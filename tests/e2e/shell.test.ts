/** The frame around every page: save status, menus, panels and sheets, on desktop and phone. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, expectSaved, openDataset, storedResponse } from './annotation-page.ts'
import { enter, type SeatOptions, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts, type World } from './seed.ts'

const PHONE = { width: 390, height: 844 }

takeWorld()

const letters = (name: string) =>
  seed(world, {
    name,
    guidelines: '# How to decide\n\nRead **all** of it.',
    questions: [label('mood', ['good', 'bad'])],
    records: texts(6),
    minSubmitted: 2,
  })

async function at(person: World['annotator'], options: SeatOptions, act: (page: Page) => Promise<void>) {
  const seat = await takeSeat(world.server.url, { allow: [/401/], ...options })
  await enter(seat.context, world, person)
  await act(seat.page)
  await seat.context.close()
  expect(seat.troubles).toEqual([])
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-pane') ?? null)

test('an answer that the server refused is seen from any page, and leads back to its record', async () => {
  const id = await letters('refused elsewhere')
  await at(world.annotator, {}, async page => {
    await openDataset(page, id)
    const record = (await currentRecord(page).getAttribute('data-record-id')) ?? ''
    const values = { mood: { value: 'bad' } }
    await world.annotator.client.upsertMyResponsesBulk({ body: { items: [{ record_id: record, status: 'submitted', values }] } })
    await page.keyboard.press('1')
    await page.locator('[data-testid=connection][data-state=attention]').waitFor()

    await page.locator('.mark').click()
    await page.getByTestId('dataset-card').first().waitFor()
    await page.getByTestId('connection').getByRole('button').click()
    const outbox = page.getByTestId('outbox')
    await expect.poll(() => outbox.textContent()).toMatch(/refused elsewhere.*good.*bad/s)
    await outbox.getByTestId('outbox-show').click()
    await expect.poll(() => currentRecord(page).getAttribute('data-record-id')).toBe(record)

    // The user has moved on; the same URL opens the record again.
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => currentRecord(page).getAttribute('data-record-id')).not.toBe(record)
    await page.getByTestId('connection').getByRole('button').click()
    await outbox.getByTestId('outbox-show').click()
    await expect.poll(() => currentRecord(page).getAttribute('data-record-id')).toBe(record)

    await page.getByTestId('connection').getByRole('button').click()
    await outbox.getByTestId('outbox-drop').click()
    await expectSaved(page)
    expect(await storedResponse(world, id)).toEqual({ status: 'submitted', values: { mood: 'bad' } })
  })
})

test('after a queue is chosen, the keys are for the record again', async () => {
  const id = await letters('queues')
  await at(world.annotator, {}, async page => {
    await openDataset(page, id)
    await page.keyboard.press('Control+s')
    await expectSaved(page)
    await page.getByTestId('queue-menu').click()
    await page.locator('[data-testid=queue][data-value=draft]').click()
    await expectRecordText(page, 'Record number 0')
    await expect.poll(() => focused(page)).toBe('record')
    await page.keyboard.press('Enter')
    expect(await page.locator('[data-testid=queue]').count()).toBe(0)
  })
})

test('the columns stay as they were left', async () => {
  const id = await letters('columns')
  await at(world.annotator, {}, async page => {
    const width = () => page.locator('.margin').evaluate(element => Math.round(element.getBoundingClientRect().width))
    await openDataset(page, id)
    await page.getByTestId('columns').hover()
    await page.mouse.down()
    await page.mouse.move(700, 400, { steps: 3 })
    await page.mouse.up()
    await expect.poll(width).toBe(740)
    await page.reload()
    await expect.poll(width).toBe(740)
  })
})

test('the sheet shows its keys in a small window too', async () => {
  const id = await letters('zoomed')
  await at(world.annotator, { width: 720, height: 450 }, async page => {
    await openDataset(page, id)
    await page.keyboard.press('?')
    await expect.poll(() => page.getByTestId('shortcut-sheet').locator('kbd:visible').count()).toBeGreaterThan(10)
  })
})

describe('on a phone', () => {
  test('the guidelines are pulled up over the record', async () => {
    const id = await letters('pulled up')
    await at(world.annotator, PHONE, async page => {
      await openDataset(page, id)
      await page.getByText('Guidelines', { exact: true }).click()
      await page.getByRole('heading', { name: 'How to decide' }).waitFor()
      await page.getByTestId('submit').waitFor()
    })
  })

  test('a lead adds records and takes them out', async () => {
    const id = await letters('exchanged')
    await at(world.admin, PHONE, async page => {
      await openDataset(page, id)
      for (const row of ['menu-add-records', 'menu-export']) {
        await page.getByTestId('account').click()
        await page.getByTestId(row).click()
        if (row === 'menu-export') await page.getByTestId('export-tab-python').click()
        await page.getByRole('dialog').locator('pre').waitFor()
        await page.keyboard.press('Escape')
      }
    })
  })

  test('what the annotation page looks like does not reach the pages after it', async () => {
    const id = await letters('after it')
    await at(world.admin, PHONE, async page => {
      await openDataset(page, id)
      await page.getByRole('link', { name: 'Dataset settings' }).click()
      await page.locator('[data-tab=questions]').click()
      await page.getByRole('complementary').getByText('Which mood').waitFor()
    })
  })
})
