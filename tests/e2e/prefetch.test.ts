/** Prefetching: records on both sides, the next record rendered, the next images loaded; and sorting by answers. */
import { expect, test } from 'vitest'
import { expectRecordText, expectSaved, openDataset } from './annotation-page.ts'
import { page, press, takeDesk, world } from './desk.ts'
import { rating } from './question-plans.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'annotator', each: 'new', allow: [/ERR_FAILED/, /images\.example/] })

test('twenty records on each side are there without the server', async () => {
  const id = await seed(world, { name: 'sides', questions: [label('mood', ['good', 'bad'])], records: texts(90) })
  await openDataset(page, id, '?page=41')
  await expectRecordText(page, 'Record number 40')
  await page.route('**/api/v1/**/search**', route => route.abort())
  for (let at = 39; at >= 20; at--) {
    await press('ArrowLeft')
    await expectRecordText(page, `Record number ${at}`)
  }
  for (let at = 21; at <= 60; at++) {
    await press('ArrowRight')
    await expectRecordText(page, `Record number ${at}`)
  }
})

test('the next record is drawn out of sight, and the next three images are loaded', async () => {
  const images = new Set<string>()
  page.on('request', request => {
    const number = new URL(request.url()).searchParams.get('n')
    if (number) images.add(number)
  })
  const body = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
  await page.route('https://images.example/**', route => route.fulfill({ contentType: 'image/svg+xml', body }))
  const id = await seed(world, {
    name: 'images',
    options: { imageHosts: ['images.example'] },
    fields: [{ name: 'picture', title: 'Picture', required: true, settings: { type: 'image' } }],
    questions: [label('mood', ['good', 'bad'])],
    records: texts(8).map((_, i) => ({ fields: { picture: `https://images.example/mark.svg?n=${i}` } })),
  })
  await openDataset(page, id)
  await expect.poll(() => [...images].sort()).toEqual(['0', '1', '2', '3'])
  const hidden = page.locator('[data-testid=record][hidden]')
  await expect.poll(() => hidden.locator('img').getAttribute('src')).toContain('n=1')
  await press('ArrowRight')
  await expect.poll(() => images.has('4')).toBe(true)
  expect(images.size).toBe(5)
})

test('records are put in the order of my own answers', async () => {
  const id = await seed(world, { name: 'by answers', questions: [rating('quality', [1, 2, 3, 4])], records: texts(4) })
  await openDataset(page, id)
  for (const [at, key] of ['3', '1', '4', '2'].entries()) {
    await expectRecordText(page, `Record number ${at}`)
    await press(key, 'Enter')
  }
  await expectSaved(page)
  for (const [order, expected] of [
    ['asc', [1, 3, 0, 2]],
    ['desc', [2, 0, 3, 1]],
  ] as const) {
    await openDataset(page, id, `?status=submitted&sort=response.quality.${order}`)
    for (const number of expected) {
      await expectRecordText(page, `Record number ${number}`)
      await press('ArrowRight')
    }
  }
})

test('a record is never drawn without its fields and questions, also those whose parts come later', async () => {
  const id = await seed(world, {
    name: 'whole',
    fields: [{ name: 'talk', title: 'Talk', required: true, settings: { type: 'chat', use_markdown: false } }],
    questions: [{ name: 'note', title: 'Note', required: true, settings: { type: 'text', use_markdown: false } }],
    records: [{ fields: { talk: [{ role: 'user', content: 'Where is my parcel?' }] } }],
  })
  // Checks the page after each change, before it is painted.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const record = document.querySelector('[data-testid=record]:not([hidden])')
      if (record === null) return
      observer.disconnect()
      document.documentElement.dataset.firstSeen = `${record.textContent} ${document.querySelectorAll('[data-testid=question-note] textarea').length}`
    }).observe(document, { childList: true, subtree: true })
  })
  await openDataset(page, id)
  expect(await page.evaluate(() => document.documentElement.dataset.firstSeen)).toMatch(/Where is my parcel\?.* 1$/s)
})
