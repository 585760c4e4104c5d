/** Sharing progress: from the panel to a public page, and its messages if there is nothing to show. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRecordText, expectSaved, openDataset } from './annotation-page.ts'
import { enter, type SeatOptions, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, shareWorld, texts, type World } from './seed.ts'

takeWorld({ SERVICE_ENABLE_SHARE_YOUR_PROGRESS: 'true' })

let silent: World
beforeAll(async () => {
  silent = await shareWorld()
})
afterAll(() => silent.close())

/** On a public page no user is signed in; a rejected card is a console error too. */
const EXPECTED = [/401/]
const REFUSED = [/40[14]/, /422/]

/** Runs an action in a new browser context and checks that there are no errors. */
async function at(place: World, options: SeatOptions, act: (page: Page) => Promise<void>): Promise<void> {
  const seat = await takeSeat(place.server.url, options)
  await act(seat.page)
  await seat.context.close()
  expect(seat.troubles).toEqual([])
}

const plan = (name: string) => ({ name, questions: [label('mood', ['good', 'bad'])], records: texts(5) })
const picture = (page: Page) => page.getByTestId('share-picture')
/** 0 until it is loaded. */
const drawnWidth = (page: Page) => picture(page).evaluate(image => (image instanceof HTMLImageElement ? image.naturalWidth : 0))
const message = (page: Page) => page.getByTestId('share-message').textContent()

async function answer(page: Page, at: number): Promise<void> {
  await expectRecordText(page, `Record number ${at}`)
  await page.keyboard.press('1')
}

/** Violations that axe finds. */
async function listViolations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  return page.evaluate<string[]>('axe.run().then(({ violations }) => violations.map(({ id }) => id))')
}

async function aCard(name: string): Promise<string> {
  const id = await seed(world, plan(name))
  const params = { dataset_id: id }
  const { items } = await world.owner.listRecords({ params })
  const responses = items.slice(0, 2).map(record => ({
    record_id: record.id,
    status: 'submitted' as const,
    values: { mood: { value: 'good' } },
  }))
  await world.owner.upsertMyResponsesBulk({ body: { items: responses } })
  return (await world.owner.shareMyProgress({ params })).card
}

test('from two answers on, the panel offers a picture to link and to download; the link works for anybody', async () => {
  const id = await seed(world, plan('Letters of 1905'))
  let link = ''
  await at(world, { allow: EXPECTED }, async page => {
    await enter(page.context(), world, world.annotator)
    await openDataset(page, id)
    await answer(page, 0)
    await expectRecordText(page, 'Record number 1')
    await expectSaved(page)
    await page.keyboard.press('p')
    await page.getByText('Team: 1 of 5 completed').waitFor()
    expect(await page.getByTestId('share').count()).toBe(0)
    await answer(page, 1)
    await expectSaved(page)
    await page.getByTestId('share').press('Enter')
    await expect.poll(() => drawnWidth(page)).toBe(1200)
    await expect
      .poll(() => picture(page).getAttribute('alt'))
      .toMatch(/^Letters of 1905: 2 answers submitted\. Team: 2 of 5 completed\./)
    expect(await listViolations(page)).toEqual([])
    const downloading = page.waitForEvent('download')
    await page.getByTestId('share-download').click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('postil-progress.svg')
    expect(await readFile(await download.path(), 'utf8')).toContain('Letters of 1905')
    await page.getByRole('button', { name: 'Copy link' }).click()
    await expect
      .poll(async () => {
        link = await page.evaluate<string>('navigator.clipboard.readText()')
        return link
      })
      .toContain('/share-your-progress?card=')
    await page.keyboard.press('Escape')
    await expect.poll(() => picture(page).count()).toBe(0)
    expect(await page.evaluate('document.activeElement?.getAttribute("data-testid")')).toBe('share')
  })
  expect(link).toContain(`${world.server.url}/share-your-progress?card=`)
  await at(world, { allow: EXPECTED, language: 'de-DE', width: 320 }, async page => {
    await page.goto(link)
    await expect.poll(() => drawnWidth(page)).toBe(1200)
    await expect.poll(() => picture(page).getAttribute('alt')).toContain('2 Antworten abgesendet')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
    expect(await listViolations(page)).toEqual([])
  })
})

test('the name of a dataset is text in the picture, also when it is opened by itself', async () => {
  const card = await aCard('</svg><script>window.opener;document.title="run"</script><b>')
  await at(world, {}, async page => {
    await page.goto(`api/v1/share-card?card=${card}`)
    expect((await page.locator('text').allTextContents()).join('')).toContain('</svg><script>window.opener')
    expect(await page.evaluate('document.documentElement.tagName')).toBe('svg')
    expect(await page.locator('script, parsererror').count()).toBe(0)
  })
})

describe('a page without a card to show says why', () => {
  test.each([
    ['a card of nothing', '?card=nonsense'],
    ['an empty card', '?card='],
    ['no card', ''],
    ['a card that is too long', `?card=${'x'.repeat(2_000)}`],
  ])('with %s', async (_, query) => {
    await at(world, { allow: REFUSED }, async page => {
      await page.goto(`share-your-progress${query}`)
      await expect.poll(() => message(page)).toContain('The link is incomplete')
      expect(await listViolations(page)).toEqual([])
    })
  })

  test('where sharing is off, and the panel does not offer it', async () => {
    const card = await aCard('elsewhere')
    const id = await seed(silent, plan('silent'))
    await at(silent, { allow: REFUSED }, async page => {
      await page.goto(`share-your-progress?card=${card}`)
      await expect.poll(() => message(page)).toContain('does not share progress')
      await enter(page.context(), silent, silent.annotator)
      await openDataset(page, id)
      for (const place of [0, 1]) await answer(page, place)
      await expectSaved(page)
      const asked = page.waitForResponse(/\/api\/v1\/settings$/)
      await page.keyboard.press('p')
      await asked
      await page.getByText('Team: 2 of 5 completed').waitFor()
      expect(await page.getByTestId('share').count()).toBe(0)
    })
  })
})
