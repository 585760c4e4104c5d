/** Details of the annotation page and its surroundings: stable positions, accessible names, links. */
import { describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, openDataset } from './annotation-page.ts'
import { takeSeat } from './browser.ts'
import { begin, OWN_SERVER, option, page, press, question, takeDesk, world } from './desk.ts'
import { multiLabel, ranking, rating } from './question-plans.ts'
import { dress } from './screens.ts'
import { label, seed, texts } from './seed.ts'

// Wrong passwords delay the sign-ins of everyone at the same address.
takeDesk({ as: 'admin', each: 'emptied', env: OWN_SERVER })

const mood = label('mood', ['good', 'bad'])

test('with one dataset, My work does not repeat its name', async () => {
  const id = await seed(world, { name: 'only one', questions: [mood], records: texts(3) })
  await page.goto('')
  await page.getByTestId('continue').waitFor()
  expect(await page.getByTestId('my-work').locator('h3').boundingBox()).toMatchObject({ width: 1, height: 1 })
  await world.owner.deleteDataset({ params: { dataset_id: id } })
})

test('a refused sign-in is told in the language that is chosen afterwards', async () => {
  const seat = await takeSeat(world.server.url, { allow: [/401/] })
  await seat.page.goto('sign-in')
  await seat.page.getByTestId('sign-in-username').fill(world.admin.username)
  await seat.page.getByTestId('sign-in-password').fill('not the password')
  await seat.page.getByTestId('sign-in-submit').click()
  await seat.page.getByRole('alert').getByText('Wrong username or password.').waitFor()
  await dress(seat.page, { language: 'de' })
  await seat.page.getByRole('alert').getByText('Benutzername oder Passwort ist falsch.').waitFor()
  await seat.context.close()
})

describe('does not move', () => {
  const yOf = async (name: string) => (await question(name).boundingBox())?.y

  test('the question below a ranking, whatever is ranked', async () => {
    await begin('ranked', { questions: [ranking('replies', ['first', 'second', 'third']), rating('x', [1, 2, 3])] })
    const before = await yOf('x')
    await press('Tab', '1', '2')
    expect(await yOf('x')).toBe(before)
    await press('3')
    await expect.poll(() => question('replies').textContent()).toContain('3 of 3 ranked')
    expect(await yOf('x')).toBe(before)
  })

  test('the sign-in form, when it is refused', async () => {
    const seat = await takeSeat(world.server.url, { allow: [/401/] })
    await seat.page.goto('sign-in')
    await seat.page.getByTestId('sign-in-username').fill(world.admin.username)
    await seat.page.getByTestId('sign-in-password').fill('not the password')
    const boxes = () => Promise.all(['sign-in-username', 'sign-in-submit'].map(id => seat.page.getByTestId(id).boundingBox()))
    await seat.page.evaluate(() => document.fonts.ready)
    const before = await boxes()
    await seat.page.getByTestId('sign-in-submit').click()
    await seat.page.getByRole('alert').getByText(/./).first().waitFor()
    expect(await boxes()).toEqual(before)
    await seat.context.close()
  })

  test('a label among many, when another one is suggested or selected', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `label ${i + 1}`)
    const id = await seed(world, { name: 'still', questions: [multiLabel('topic', names)], records: texts(1) })
    const params = { dataset_id: id }
    const { items } = await world.owner.listQuestions({ params })
    const suggestions = [{ question_id: items[0]?.id ?? '', value: ['label 2'], score: [0.9], agent: 'model-7' }]
    const second = { fields: { text: 'The second' }, suggestions }
    await world.owner.createRecordsBulk({ params, body: { items: [second] } })
    await openDataset(page, id)
    const places = () => Promise.all(names.map(async name => (await option('topic', name).boundingBox()) ?? name))
    await page.evaluate(() => document.fonts.ready)
    const before = await places()
    await press('ArrowRight')
    await expectRecordText(page, 'The second')
    await expect.poll(() => option('topic', 'label 2').innerText()).toContain('0.9')
    expect(await places()).toEqual(before)
  })
})

test('after an answer, what is left in the list agrees with the queue', async () => {
  await begin('counted', { questions: [mood], records: texts(30) })
  await press('1')
  await expectRecordText(page, 'Record number 1')
  await expect.poll(() => page.getByTestId('queue-menu').innerText()).toContain('29')
  expect(await currentRecord(page).getByTestId('position').innerText()).toBe('2')
  expect(await currentRecord(page).getByTestId('left').innerText()).toContain('29 left')
})

test('the page has one heading of the first level, with the name of the dataset', async () => {
  await begin('headed', { questions: [mood] })
  expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['headed'])
})

test('a search that finds nothing here says where it finds something', async () => {
  const id = await begin('elsewhere', { questions: [mood] })
  await page.goto(`dataset/${id}/annotation-mode?status=draft&search=number`)
  await expect.poll(() => page.getByTestId('other-queue').allInnerTexts()).toEqual(['3 matches in Pending'])
  await page.getByTestId('other-queue').click()
  await expectRecordText(page, 'Record number 0')
})

test('the palette begins with commands, and no two rows have one title', async () => {
  await begin('listed', { questions: [mood, rating('x', [1, 2])] })
  await press('Control+k')
  const palette = page.getByTestId('palette-dialog')
  await expect.poll(() => palette.locator('.menu-title').first().innerText()).toBe('Commands')
  await page.keyboard.type('filter by')
  const titles = palette.locator('[role=option] .name')
  await expect.poll(() => titles.allInnerTexts()).toContain('Filter by suggestion: Which mood')
  const all = await titles.allInnerTexts()
  expect(new Set(all).size).toBe(all.length)
})

test('an open menu stays at its button when the record scrolls', async () => {
  await begin('scrolled', { questions: [mood], records: texts(1, () => 'One line.\n'.repeat(300)) })
  const button = currentRecord(page).locator('.field-head [aria-haspopup=dialog]')
  await button.click()
  const menu = page.locator('.menu:popover-open')
  await menu.waitFor()
  const gap = async () => {
    const [anchor, panel] = [await button.boundingBox(), await menu.boundingBox()]
    return anchor && panel ? Math.round(panel.y - anchor.y - anchor.height) : null
  }
  expect(await gap()).toBe(4)
  const before = (await menu.boundingBox())?.y ?? 0
  await page.locator('.sheet').evaluate(sheet => sheet.scrollBy(0, 40))
  await expect.poll(async () => Math.round((await menu.boundingBox())?.y ?? 0)).toBe(Math.round(before) - 40)
  expect(await gap()).toBe(4)
})

test('on a phone there is a way from the settings to the records, and every button has a name', async () => {
  const id = await seed(world, { name: 'pocket', questions: [mood], records: texts(3) })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`dataset/${id}/settings`)
  await page.getByTestId('to-annotate').click()
  await currentRecord(page).waitFor()
  expect(await page.getByTestId('to-annotate').count()).toBe(0)
  const nameless = await page
    .locator('button:visible, a:visible')
    .evaluateAll(all =>
      all.filter(one => !one.getAttribute('aria-label') && !one.textContent?.trim()).map(one => one.outerHTML.slice(0, 120)),
    )
  expect(nameless).toEqual([])
})
