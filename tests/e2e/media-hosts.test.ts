/** Requests that a record can cause in the user's browser: none to this server, and to other hosts only if allowed. */
import type { FieldCreate } from '@postil/domain/fields'
import type { BrowserContext } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, openDataset } from './annotation-page.ts'
import { enter, takeSeat } from './browser.ts'
import { page, takeDesk, world } from './desk.ts'
import { label, seed } from './seed.ts'

const FOREIGN = /leaves the origin: https:\/\/(images|clips|tracker)\.example/
takeDesk({ as: 'annotator', each: 'new', allow: [FOREIGN, /403/, /Content Security Policy/] })

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** Requested URLs, except those of the page itself. */
let asked: string[] = []
const watchRequests = async (context: BrowserContext) => {
  asked = []
  await context.route(/\.example\//, route => route.fulfill({ contentType: 'image/png', body: Buffer.from(PNG, 'base64') }))
  context.on('request', request => {
    if (/\.example\/|planted/.test(request.url())) asked.push(request.url())
  })
}
beforeEach(() => watchRequests(page.context()))

const field = (name: string, settings: FieldCreate['settings']): FieldCreate => ({ name, title: name, required: false, settings })
const REQUIRED: FieldCreate = { ...field('text', { type: 'text', use_markdown: false }), required: true }
const FIELDS = [
  REQUIRED,
  field('markdown', { type: 'text', use_markdown: true }),
  field('chat', { type: 'chat', use_markdown: true }),
  field('image', { type: 'image' }),
]
const plan = (name: string, records: Record<string, unknown>[], rest: { guidelines?: string; options?: object } = {}) =>
  seed(world, {
    name,
    fields: FIELDS,
    questions: [label('mood', ['good', 'bad'])],
    records: records.map(fields => ({ fields: { text: 'Text', ...fields } })) as never,
    ...(rest as object),
  })
/** Opens all records in turn, so that each is prefetched, shown and left. */
async function walk(count: number) {
  for (let i = 1; i <= count; i++) {
    await expect.poll(() => page.getByTestId('position').textContent()).toBe(String(i))
    await currentRecord(page).locator('.soon').waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowRight')
  }
}

describe('addresses of this server', () => {
  /** All spellings resolve to the server of the page. */
  const spellings = () => {
    const { port } = new URL(world.server.url)
    const path = 'api/v1/me?planted'
    return [
      `${world.server.url}/${path}`,
      `HTTP://127.0.0.1:${port}/${path}`,
      `http://someone:secret@127.0.0.1:${port}/${path}`,
      `http://127.0.0.1.:${port}/${path}`,
      `http://127.1:${port}/${path}`,
      `http://0x7f000001:${port}/${path}`,
      `http://localhost:${port}/${path}`,
      `http://LOCALHOST.:${port}/${path}`,
      `http://127.0.0.1/${path}`,
      `//127.0.0.1:${port}/${path}`,
      `http:/${path}`,
      `http:${path}`,
      `http:\\\\127.0.0.1:${port}/${path}`,
      `/${path}`,
    ]
  }

  test('are not requested for an image, sound, a video or a link, however they are spelt', async () => {
    const everyWay = (url: string) =>
      `![planted](${url}) <img src="${url}"> <audio src="${url}" preload="auto" autoplay></audio> ` +
      `<video src="${url}" autoplay><source src="${url}"></video> <a href="${url}">planted link</a> [planted](${url})`
    const text = spellings().map(everyWay).join('\n\n')
    // The server accepts no other URLs.
    const images = spellings().filter(url => /^https?:\/\/./i.test(url))
    const id = await plan(
      'own addresses',
      [{ markdown: 'First' }, { markdown: text, chat: [{ role: 'user', content: text }] }, ...images.map(image => ({ image }))],
      { guidelines: text },
    )
    await openDataset(page, id)
    await page.locator('.guide .rendered > *').first().waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.getByTestId('position').textContent()).toBe('2')
    await currentRecord(page).locator('[data-testid=field-chat] .rendered > *').first().waitFor()
    const links = await page.locator('.markdown a[href]').evaluateAll(all => all.map(link => link.getAttribute('href')))
    expect(links).toEqual([])
    await page.keyboard.press('ArrowLeft')
    await walk(images.length + 2)
    expect(asked).toEqual([])
  })

  test('do not answer an image or a frame with the session of the person', async () => {
    await page.goto('')
    const load = (url: string) =>
      page.evaluate(async address => {
        const image = new Image()
        image.src = address
        await image.decode().catch(() => undefined)
      }, url)
    const answer = page.waitForResponse(/planted/)
    await load('/api/v1/me?planted')
    expect((await answer).status()).toBe(403)
    expect(await page.evaluate(async () => (await fetch('/api/v1/me')).status)).toBe(200)
  })
})

const IMAGE = 'https://images.example/1.png'
const load = (host: string) => currentRecord(page).getByRole('button', { name: `Load images from ${host}` })

describe('images of other hosts', () => {
  test('are loaded when the person allows the host, once for the whole dataset', async () => {
    const id = await plan('asks', [
      { image: IMAGE },
      { image: 'https://images.example/2.png' },
      { markdown: '![x](https://images.example/3.png)' },
    ])
    await openDataset(page, id)
    await load('images.example').waitFor()
    await expectRecordText(page, 'images.example')
    expect(asked).toEqual([])
    await load('images.example').click()
    await expect.poll(() => asked).toContain(IMAGE)
    await page.reload()
    await currentRecord(page).locator('img').waitFor()
    await page.keyboard.press('ArrowRight')
    await currentRecord(page).locator('img').waitFor()
    await page.keyboard.press('ArrowRight')
    await currentRecord(page).locator('.markdown img').waitFor()
    await expect.poll(() => asked).toContain('https://images.example/3.png')

    // Permission is requested again for another dataset.
    asked = []
    await openDataset(page, await plan('asks again', [{ image: IMAGE }]))
    await load('images.example').waitFor()
    expect(asked).toEqual([])
  })

  test('in markdown and chat stay unloaded, also of records that come next, and each host is asked for by itself', async () => {
    const text =
      '![a](https://images.example/a.png) <video src="https://clips.example/v.mp4" autoplay width="320" height="180"></video>'
    const id = await plan('texts', [
      { markdown: 'First' },
      {
        markdown: text,
        chat: [{ role: 'user', content: '![t](https://tracker.example/t.png)' }],
        image: 'https://images.example/b.png',
      },
      { image: 'https://images.example/c.png' },
    ])
    await openDataset(page, id)
    await walk(3)
    await page.goto(`dataset/${id}/annotation-mode?page=2`)
    await currentRecord(page).locator('[data-testid=field-chat] button', { hasText: 'tracker.example' }).waitFor()
    expect(asked).toEqual([])
    const held = currentRecord(page).locator('.held-media', { hasText: 'clips.example' })
    expect(await held.evaluate(element => [element.clientWidth > 300, element.clientHeight > 170])).toEqual([true, true])
    await currentRecord(page)
      .locator('[data-testid=field-markdown]')
      .getByRole('button', { name: 'Load images from images.example' })
      .click()
    await expect.poll(() => asked).toContain('https://images.example/b.png')
    expect(asked.filter(url => /clips|tracker/.test(url))).toEqual([])
  })

  test('are loaded for everybody when the lead allowed the host', async () => {
    const id = await plan('shared', [{ image: IMAGE }])
    await openDataset(page, id)
    await load('images.example').waitFor()
    const lead = await takeSeat(world.server.url, { allow: [/401/] })
    await enter(lead.context, world, world.admin)
    await lead.page.goto(`dataset/${id}/settings?tab=fields`)
    const block = lead.page.getByTestId('block-image-hosts')
    await block.getByLabel('Hosts').fill('not a host!')
    await expect.poll(() => block.getByRole('alert').innerText()).toContain('is not a host name')
    await block.getByLabel('Hosts').fill('https://images.example/some/path')
    expect(asked).toEqual([])
    await block.getByTestId('update').click()
    await expect.poll(() => block.getByRole('status').innerText()).toContain('Saved')
    await lead.context.close()
    expect(lead.troubles).toEqual([])
    await page.reload()
    await currentRecord(page).locator('img').waitFor()
    await expect.poll(() => asked).toContain(IMAGE)
  })

  test('that the server refuses altogether are named, without a button', async () => {
    const id = await plan('http', [{ image: 'http://images.example/1.png' }])
    await openDataset(page, id)
    await expectRecordText(page, 'This server does not allow images from images.example')
    expect(await load('images.example').count()).toBe(0)
    expect(asked).toEqual([])
  })

  test('are remembered for this visit when the browser stores nothing', async () => {
    await page.addInitScript(() => {
      const { setItem } = Storage.prototype
      Storage.prototype.setItem = function (key, value) {
        if (key.startsWith('postil.image-hosts.')) throw new DOMException('full', 'QuotaExceededError')
        setItem.call(this, key, value)
      }
    })
    const id = await plan('no storage', [{ image: IMAGE }])
    await openDataset(page, id)
    await load('images.example').click()
    await currentRecord(page).locator('img').waitFor()
  })
})

describe('images in templates', () => {
  test('are loaded from the hosts that are allowed in the dataset', async () => {
    const template = '<b>Card</b><img src="https://images.example/card.png">'
    const id = await seed(world, {
      name: 'template',
      fields: [REQUIRED, field('card', { type: 'custom', template, advanced_mode: false })],
      questions: [label('mood', ['good', 'bad'])],
      records: [{ fields: { text: 'Text', card: { x: 1 } } }],
    })
    await openDataset(page, id)
    await load('images.example').waitFor()
    // The browser also reports requests that its policy then blocks.
    const loaded: string[] = []
    page.context().on('response', response => loaded.push(response.url()))
    await load('images.example').click()
    await expect.poll(() => loaded).toContain('https://images.example/card.png')
  })
})
