/** Small screens, zoom, base paths, expired sessions, old links, languages. */
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, expectSaved, openDataset, storedResponse } from './annotation-page.ts'
import { enter, type Seat, type SeatOptions, takeSeat } from './browser.ts'
import { OWN_SERVER, takeWorld, world } from './desk.ts'
import { type Everything, seedEverything } from './everything.ts'
import { waitForLayout } from './screen.ts'
import { dress, SCREENS, takeSeats } from './screens.ts'
import { label, openWorld, type Person, seed, texts } from './seed.ts'

const EXPECTED = [/40[134]/]
const PHONE = { width: 320, height: 640 }
const ZOOMED = { width: 720, height: 450 }

takeWorld(OWN_SERVER)

let everything: Everything
let seats: Awaited<ReturnType<typeof takeSeats>>
beforeAll(async () => {
  everything = await seedEverything(world)
  seats = await takeSeats(world)
})

async function seatOf(person: Person, options: SeatOptions = {}): Promise<Seat> {
  const seat = await takeSeat(world.server.url, { allow: EXPECTED, ...options })
  await enter(seat.context, world, person)
  return seat
}
async function leave(seat: Seat) {
  await seat.context.close()
  expect(seat.troubles).toEqual([])
}

/** Elements that are clipped or need horizontal scrolling, except scroll containers. */
const tooWide = (page: Page) =>
  page.evaluate(() => {
    const scrolls = (element: Element): boolean => {
      const parent = element.parentElement
      if (!parent || parent === document.body) return false
      return (
        (parent.scrollWidth > parent.clientWidth && /auto|scroll/.test(getComputedStyle(parent).overflowX)) || scrolls(parent)
      )
    }
    const out = [
      ...document.body.querySelectorAll('button, input, select, textarea, a, h1, h2, h3, [data-testid=record]'),
    ].filter(element => {
      const { width, right, left } = element.getBoundingClientRect()
      if (!element.checkVisibility({ visibilityProperty: true }) || width <= 1) return false
      return (right > innerWidth + 1 || left < -1) && !scrolls(element)
    })
    const page = document.scrollingElement?.scrollWidth ?? 0
    return [...(page > innerWidth ? [`the page: ${page}`] : []), ...out.map(element => element.outerHTML.slice(0, 160))]
  })

/** A catalogue key on screen is a missing translation. */
const RAW =
  /\b(admin|annotate|bulk|common|datasetChanges|datasetSettings|exchange|fields|find|home|homeTable|overview|people|questions|shell|signIn|span|userSettings|wizard)\.[a-z]+(_[a-z]+)*\b/
const WORDS = { de: 'Offen', es: 'Pendiente', ja: '未回答', en: 'Pending' }

/** All texts of the page, including those for screen readers. */
const readPage = (page: Page) =>
  page.evaluate(() => {
    const names = [...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap(element =>
      ['aria-label', 'title', 'placeholder'].map(attribute => element.getAttribute(attribute) ?? ''),
    )
    return [document.body.innerText, ...names].join('\n')
  })

describe('nothing sticks out at 320 pixels in any language, nor at 200 % of 1440 by 900, and everything has its words', () => {
  test.each(SCREENS)('$name', async ({ name, as, open, leave, isWide }) => {
    const { page, troubles } = seats[as]
    await page.setViewportSize(isWide ? ZOOMED : PHONE)
    await open(page, everything)
    const found: unknown[] = []
    for (const [language, word] of Object.entries(WORDS)) {
      await dress(page, { language })
      found.push(...(await tooWide(page)).map(what => ({ language, what })))
      const words = await readPage(page)
      const raw = RAW.exec(words)?.[0]
      if (raw) found.push({ language, raw })
      if (name === 'record') expect(words).toContain(word)
    }
    await page.setViewportSize(ZOOMED)
    await waitForLayout(page)
    found.push(...(await tooWide(page)).map(what => ({ zoomed: what })))
    await leave?.(page)
    expect(found).toEqual([])
    expect(troubles.splice(0)).toEqual([])
  })
})

test('a session that ends in mid-work: sign in over the page, and nothing is lost', async () => {
  const id = await seed(world, { name: 'ends', questions: [label('mood', ['good', 'bad'])], records: texts(5) })
  const seat = await seatOf(world.annotator)
  const { page, context } = seat
  await openDataset(page, id)
  await page.keyboard.press('1')
  await expectRecordText(page, 'Record number 1')
  await expectSaved(page)
  await context.clearCookies()
  await page.keyboard.press('2')
  await expectRecordText(page, 'Record number 2')
  const dialog = page.getByTestId('sign-in-again')
  await page.getByTestId('sign-in-now').click()
  await dialog.waitFor()
  await expect.poll(() => dialog.getByTestId('sign-in-password').evaluate(input => input === document.activeElement)).toBe(true)
  await dialog.getByTestId('sign-in-password').fill(world.annotator.password)
  await dialog.getByTestId('sign-in-submit').click()
  await dialog.waitFor({ state: 'detached' })
  await expectRecordText(page, 'Record number 2')
  await expectSaved(page)
  expect(await storedResponse(world, id, 1)).toEqual({ status: 'submitted', values: { mood: 'bad' } })
  await page.keyboard.press('1')
  await expectSaved(page)
  expect(await storedResponse(world, id, 2)).toEqual({ status: 'submitted', values: { mood: 'good' } })
  await leave(seat)
})

describe('below a base path', () => {
  test('deep links work, before and after sign-in', async () => {
    const below = await openWorld({ SERVICE_BASE_URL: '/annotation/' })
    const id = await seed(below, { name: 'deep', questions: [label('mood', ['good', 'bad'])], records: texts(3) })
    const seat = await takeSeat(below.server.url, { allow: EXPECTED })
    const { page } = seat
    await page.goto(`dataset/${id}/annotation-mode?page=2`)
    await page.getByTestId('sign-in-username').fill(below.annotator.username)
    await page.getByTestId('sign-in-password').fill(below.annotator.password)
    await page.getByTestId('sign-in-submit').click()
    await expectRecordText(page, 'Record number 1')
    expect(new URL(page.url()).pathname).toBe(`/annotation/dataset/${id}/annotation-mode`)
    await page.keyboard.press('2')
    await expectSaved(page)
    expect(await storedResponse(below, id, 1)).toEqual({ status: 'submitted', values: { mood: 'bad' } })
    await page.getByRole('link', { name: 'Postil' }).first().click()
    await page.getByTestId('dataset-card').first().waitFor()
    expect(new URL(page.url()).pathname).toBe('/annotation/')
    await page.reload()
    await page.getByTestId('dataset-card').first().waitFor()
    await leave(seat)
    await below.close()
  })
})

describe('links of the other product', () => {
  beforeAll(async () => {
    const values = { mood: { value: 'bad' }, urgency: { value: 4 }, topics: { value: ['price', 'shop'] } }
    const items = [5, 7].map(at => ({ record_id: everything.recordIds[at] ?? '', status: 'submitted' as const, values }))
    await world.annotator.client.upsertMyResponsesBulk({ body: { items } })
  })

  const similar = () => `record.${everything.recordIds[4]}.vector.meaning.limit.10.order.most`
  test.each([
    { what: 'a position', query: () => 'page=4&status=pending', letter: 3 },
    { what: 'a queue', query: () => 'page=1&status=submitted', letter: 5 },
    { what: 'words in a field', query: () => 'search=Letter_12~text', letter: 12 },
    { what: 'terms of metadata', query: () => 'metadata=language.de', letter: 1 },
    { what: 'a range of metadata', query: () => 'metadata=pages.ge8.le9', letter: 8 },
    { what: 'a fraction', query: () => 'metadata=score.ge1.15.le1.25', letter: 12 },
    { what: 'two filters', query: () => 'metadata=language.en~pages.ge9.le20', letter: 10 },
    { what: 'my answers', query: () => 'status=submitted&response=mood.values.bad', letter: 5 },
    { what: 'all of several answers', query: () => 'status=submitted&response=topics.operator.and.values.price.shop', letter: 5 },
    { what: 'a rating', query: () => 'status=submitted&response=urgency.ge4.le5', letter: 5 },
    { what: 'suggested values', query: () => 'suggestion=mood.value.operator.or.values.mixed&page=2', letter: 2 },
    { what: 'a suggestion score', query: () => 'suggestion=urgency.score.ge0.6.le0.7', letter: 0 },
    { what: 'an agent', query: () => 'suggestion=mood.agent.model-7&page=3', letter: 4 },
    { what: 'an order', query: () => 'sort=metadata.pages.desc', letter: 29 },
    { what: 'two orders', query: () => 'sort=metadata.language.desc~record.inserted_at.desc', letter: 28 },
    { what: 'similar records', query: () => `similarity=${similar()}&page=2`, letter: null },
  ])('$what', async ({ query, letter }) => {
    const { page, troubles } = seats.annotator
    await page.setViewportSize({ width: 1440, height: 900 })
    await openDataset(page, everything.datasetId, `?${query()}`)
    if (letter !== null) await expectRecordText(page, `Letter ${letter}:`)
    else await page.getByTestId('similarity').waitFor()
    expect(troubles.splice(0)).toEqual([])
  })

  test('a name with dots and tildes survives the way through the address', async () => {
    const id = await seed(world, {
      name: 'dots',
      questions: [label('mood', ['a', 'b'])],
      metadata: [{ name: 'version', title: 'Version', settings: { type: 'terms' }, visible_for_annotators: true }],
      records: texts(3).map((record, i) => ({ ...record, metadata: { version: ['v1.2', 'a~b', 'c_d e'][i] ?? '' } })),
    })
    const { page } = seats.lead
    await page.setViewportSize({ width: 1440, height: 900 })
    for (const [i, value] of ['v1%252E2', 'a%257Eb', 'c%255Fd%2520e'].entries()) {
      await openDataset(page, id, `?metadata=version.${value}`)
      await expectRecordText(page, `Record number ${i}`)
      await expect.poll(() => page.getByTestId('total').textContent()).toBe('1')
    }
  })

  test('a record that nobody has leads to words, not to a blank page', async () => {
    const { page } = seats.annotator
    await page.goto(`record/${randomUUID()}`)
    await page.getByRole('heading').first().waitFor()
    expect(await currentRecord(page).count()).toBe(0)
  })
})
