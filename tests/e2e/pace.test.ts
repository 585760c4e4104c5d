/** The number of answers of today and the time left are the same in every browser and tab of a user. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { closeSeat, sitAs } from './admin.ts'
import { expectRecordText, expectSaved, listRecords, openDataset } from './annotation-page.ts'
import { takeWorld, world } from './desk.ts'
import { changeRows, timeIn } from './rows.ts'
import { label, seed, texts } from './seed.ts'

takeWorld()

const questions = [label('answer', ['yes', 'no'])]
const facts = (page: Page) => page.locator('.foot .facts').innerText()
const OFFLINE = { allow: [/Failed to load resource/, /ERR_INTERNET_DISCONNECTED/] }

test('answers of another browser, another tab, discarded ones and ones given offline count once', async () => {
  const id = await seed(world, { name: 'paced', questions, records: texts(12), minSubmitted: 2 })
  const first = await sitAs(world.annotator, OFFLINE)
  const { page } = first
  await openDataset(page, id)
  for (let i = 0; i < 3; i++) {
    await expectRecordText(page, `Record number ${i}`)
    await page.keyboard.press('1')
  }
  await expect.poll(() => facts(page)).toContain('3 today')
  await expectSaved(page)

  const second = await sitAs(world.annotator)
  await openDataset(second.page, id)
  await expect.poll(() => facts(second.page)).toContain('3 today')
  // The same record again, and one of them discarded.
  await openDataset(second.page, id, '?status=submitted')
  await second.page.keyboard.press('2')
  await second.page.getByTestId('submit').click()
  await expectSaved(second.page)
  await second.page.keyboard.press('x')
  await expectSaved(second.page)
  await expect.poll(() => facts(second.page)).toContain('2 today')
  await expect.poll(() => facts(page), { timeout: 30_000 }).toContain('2 today')

  await first.context.setOffline(true)
  await page.keyboard.press('1')
  await expect.poll(() => facts(page)).toContain('3 today')
  expect(await facts(second.page)).toContain('2 today')
  await first.context.setOffline(false)
  await expectSaved(page)
  await second.page.goto('')
  await expect.poll(() => second.page.getByTestId('my-work').innerText()).toContain('3 today')
  await closeSeat(second)
  await closeSeat(first)
})

test('the time left comes from the last answers and hardly changes with one slow answer', async () => {
  const id = await seed(world, { name: 'timed', questions, records: texts(73), minSubmitted: 2 })
  const records = await listRecords(world.owner, id)
  const answer = (at: number, secondsAgo: number) =>
    world.annotator.client
      .createResponse({
        params: { record_id: records[at]?.id ?? '' },
        body: { status: 'submitted', values: { answer: { value: 'yes' } } },
      })
      .then(response =>
        changeRows(world.server, 'update responses set updated_at = ? where id = ?', [timeIn(-secondsAgo), response.id]),
      )
  // One minute each, then one of almost five minutes.
  for (let at = 0; at < 12; at++) await answer(at, 2_000 - at * 60)
  const seat = await sitAs(world.annotator)
  const { page } = seat
  await openDataset(page, id)
  await expect.poll(() => facts(page)).toContain('about 1 h 1 min left')
  expect(await facts(page)).toContain('60 / h')
  // The line shows whole facts only.
  const seen = await page.locator('.foot .facts').evaluate(line => {
    const end = line.getBoundingClientRect()
    const inLine = [...line.children].map(fact => fact.getBoundingClientRect()).filter(({ top }) => top < end.bottom - 1)
    return { count: inLine.length, isWhole: inLine.every(({ right }) => right <= end.right + 1) }
  })
  expect(seen.isWhole).toBe(true)
  expect(seen.count).toBeGreaterThanOrEqual(3)
  await answer(12, 2_000 - 11 * 60 - 290)
  await page.reload()
  await expect.poll(() => facts(page)).toContain('about 1 h left')
  await closeSeat(seat)
})
