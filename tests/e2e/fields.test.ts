/** Display and actions of each field type. */
import type { FieldCreate } from '@postil/domain/fields'
import { describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, openDataset } from './annotation-page.ts'
import { page, takeDesk, world } from './desk.ts'
import { label, seed } from './seed.ts'

takeDesk({ as: 'annotator', each: 'emptied', allow: [/no such card/] })

const plan = (name: string, field: FieldCreate, values: unknown[]) =>
  seed(world, {
    name,
    fields: [field],
    questions: [label('sentiment', ['good', 'bad'])],
    records: values.map((value, i) => ({ fields: { [field.name]: value }, external_id: `r-${i}` })) as never,
  })
const button = (name: string) => currentRecord(page).getByRole('button', { name, exact: true })

describe('text', () => {
  const TEXT: FieldCreate = { name: 'text', title: 'Text', required: true, settings: { type: 'text', use_markdown: true } }

  test('raw or rendered, wrapped or not, small or large: as it was left, also after a reload', async () => {
    const id = await plan('views', TEXT, ['**Bold** words', '**More** words'])
    await openDataset(page, id)
    await expectRecordText(page, 'Bold words')
    await currentRecord(page).hover()
    await button('Raw text').click()
    await expectRecordText(page, '**Bold** words')
    await button('Text size, font and direction').click()
    await page.getByRole('checkbox', { name: 'Wrap' }).uncheck()
    await page.getByRole('button', { name: 'Larger' }).click()
    await page.keyboard.press('Escape')
    await page.reload()
    await expectRecordText(page, '**Bold** words')
    const style = await currentRecord(page)
      .locator('.plain')
      .evaluate(element => [
        getComputedStyle(element).whiteSpace,
        getComputedStyle(element.closest('.field-body') ?? element).fontSize,
      ])
    expect(style).toEqual(['pre', '18px'])
  })
})

describe('chat', () => {
  const CHAT: FieldCreate = { name: 'chat', title: 'Chat', required: true, settings: { type: 'chat', use_markdown: false } }
  const long = Array.from({ length: 40 }, (_, i) => `Line ${i}`).join('\n')
  const talk = [
    { role: 'assistant', content: 'How can I help?' },
    { role: 'user', content: long },
    { role: 'assistant', content: '{"tool":"search","query":"lamp"}' },
    { role: 'user', content: 'Thanks' },
  ]

  test('roles decide the side; long turns and structured content are folded; keys go from turn to turn', async () => {
    const id = await plan('chat', CHAT, [talk, [{ role: 'user', content: 'Only words' }]])
    await openDataset(page, id)
    const turns = currentRecord(page).locator('.turn')
    expect(await turns.evaluateAll(all => all.map(turn => (turn.matches('.end') ? 'end' : 'start')))).toEqual([
      'end',
      'start',
      'end',
      'start',
    ])
    expect(await turns.nth(2).locator('pre').isVisible()).toBe(false)
    await turns.nth(2).locator('summary').click()
    await expect.poll(() => turns.nth(2).locator('pre').innerText()).toBe('{\n  "tool": "search",\n  "query": "lamp"\n}')
    const height = () => turns.nth(1).evaluate(turn => turn.clientHeight)
    const folded = await height()
    await turns.nth(1).getByRole('button', { name: 'Show all' }).click()
    await expect.poll(height).toBeGreaterThan(folded * 1.5)

    await turns.first().focus()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    expect(await turns.nth(1).evaluate(turn => turn === document.activeElement)).toBe(true)
    await turns.nth(3).hover()
    await turns.nth(3).getByRole('button', { name: /Copy/ }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('Thanks')
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowRight')
    await expectRecordText(page, 'Only words')
  })
})

describe('image', () => {
  const IMAGE: FieldCreate = { name: 'image', title: 'Image', required: true, settings: { type: 'image' } }
  const draw = (width: number, height: number) =>
    page.evaluate(
      ([w, h]) => {
        const canvas = document.createElement('canvas')
        canvas.width = w ?? 0
        canvas.height = h ?? 0
        const pen = canvas.getContext('2d')
        for (let i = 0; pen && i < 20; i++) {
          pen.fillStyle = `hsl(${i * 18} 80% 50%)`
          pen.fillRect((i * canvas.width) / 20, 0, canvas.width / 20, canvas.height)
        }
        return canvas.toDataURL('image/png')
      },
      [width, height],
    )
  const stage = () => currentRecord(page).locator('.stage')
  const drawnWidth = () =>
    currentRecord(page)
      .locator('img')
      .evaluate(image => Math.round(image.getBoundingClientRect().width))

  test('is fitted, zoomed by key and wheel, turned, shown at its own size and on the full screen, and copied', async () => {
    const id = await plan('zoom', IMAGE, [await draw(2000, 1000)])
    await openDataset(page, id)
    await expect.poll(() => currentRecord(page).locator('.facts').innerText()).toBe('2,000 × 1,000 · PNG')
    const fitted = await drawnWidth()
    expect(fitted).toBeLessThan(1000)
    await page.keyboard.press('+')
    await expect.poll(drawnWidth).toBe(Math.round(fitted * 1.25))
    await page.keyboard.press('-')
    await expect.poll(drawnWidth).toBe(fitted)
    await stage().focus()
    await stage().hover()
    await page.mouse.wheel(0, -100)
    await expect.poll(drawnWidth).toBeGreaterThan(fitted)
    await currentRecord(page).hover()
    await button('1:1 – Actual size (100%)').click()
    await expect.poll(drawnWidth).toBe(2000)
    const box = await stage().boundingBox()
    if (!box) throw new Error('no stage')
    await page.mouse.move(box.x + 200, box.y + 100)
    await page.mouse.down()
    await page.mouse.move(box.x + 100, box.y + 60)
    await page.mouse.up()
    await expect.poll(() => stage().evaluate(element => element.scrollLeft)).toBeGreaterThan(50)
    await page.keyboard.press('0')
    await expect.poll(drawnWidth).toBe(fitted)
    const isTall = () => stage().evaluate(element => element.clientHeight > element.clientWidth)
    expect(await isTall()).toBe(false)
    await currentRecord(page).locator('.lucide-rotate-cw').click()
    await expect.poll(isTall).toBe(true)
    await page.keyboard.press('v')
    await expect.poll(() => page.evaluate(() => document.fullscreenElement !== null)).toBe(true)
    await page.keyboard.press('v')
    await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull()
    await currentRecord(page).hover()
    await currentRecord(page).locator('.lucide-images').click()
    const kinds = () => page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types))
    await expect.poll(kinds).toContain('image/png')
  })

  test('has its proportions before it is there, and when it was seen before a blurred copy', async () => {
    const pictures = await Promise.all([600, 500, 400, 300].map(height => draw(800, height)))
    const id = await plan(
      'placeholder',
      IMAGE,
      Array.from({ length: 12 }, (_, i) => pictures[i % 4]),
    )
    await openDataset(page, id)
    await page.evaluate(() => {
      const seen: string[] = []
      Object.assign(window, { seen })
      new MutationObserver(changes => {
        for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
          if (!(node instanceof Element)) continue
          const box = node.querySelector<HTMLElement>('.stage')
          // Ignores the next record, which is rendered hidden.
          if (box && !box.closest('[hidden]')) seen.push(box.style.blockSize)
          if (node.querySelector('[data-testid=image-thumb]')) seen.push('thumb')
        }
      }).observe(document.body, { childList: true, subtree: true })
    })
    await page.getByTestId('bulk-toggle').click()
    await expect.poll(() => page.getByTestId('record').count()).toBeGreaterThan(3)
    await page.getByTestId('record').first().locator('img').waitFor()
    const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
    expect(new Set(seen.filter(one => one !== 'thumb'))).toEqual(new Set(['160px']))
    expect(seen).toContain('thumb')
    // The thumbnail is removed once the image is loaded.
    await expect.poll(() => page.getByTestId('image-thumb').count()).toBe(0)
  })
})

describe('template', () => {
  const custom = (template: string, advanced_mode: boolean): FieldCreate => ({
    name: 'card',
    title: 'Card',
    required: true,
    settings: { type: 'custom', template, advanced_mode },
  })
  const cards = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `Card ${i}` }))
  const frame = () => currentRecord(page).frameLocator('iframe')
  const said = () => frame().locator('body').innerText()

  test('takes the next record in a frame that is warm', async () => {
    const id = await plan('warm', custom('<b>{{record.fields.card.name}}</b>', false), cards(12))
    const loads: string[] = []
    page.on('request', request => {
      if (/\/frame[^/]*\.html$/.test(request.url())) loads.push(request.url())
    })
    await openDataset(page, id)
    for (let i = 0; i < 11; i++) {
      await expect.poll(said).toBe(`Card ${i}`)
      await page.keyboard.press('ArrowRight')
    }
    await expect.poll(said).toBe('Card 11')
    expect(loads.length).toBeLessThanOrEqual(4)
  })

  test('has the words of a search marked in it, and those of the next search', async () => {
    const id = await plan('marked', custom('<b>{{record.fields.card.name}}</b> of many cards', false), cards(3))
    const marked = () =>
      frame()
        .locator('body')
        .evaluate(() =>
          [...(CSS.highlights.get('postil-hit') ?? [])].map(({ startContainer, startOffset, endOffset }) =>
            startContainer.textContent?.slice(startOffset, endOffset),
          ),
        )
    await openDataset(page, id, '?search=card')
    await expect.poll(said).toContain('Card')
    await expect.poll(marked).toEqual(['Card'])
    await page.keyboard.press('ArrowRight')
    await expect.poll(marked).toEqual(['Card'])
    await page.goto(`dataset/${id}/annotation-mode?search=card*`)
    await expect.poll(marked).toEqual(['Card', 'cards'])
  })

  test('follows the theme, and says what went wrong', async () => {
    const template = '<style>:root { color-scheme: light dark }</style><p>{{record.fields.card.name}}</p>'
    await openDataset(page, await plan('theme', custom(template, false), cards(2)))
    const theme = () => frame().locator('html').getAttribute('data-theme')
    await expect.poll(theme).toBe('light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(theme).toBe('dark')

    await openDataset(page, await plan('broken', custom('{{#each record.fields}}', false), cards(2)))
    await expect.poll(() => currentRecord(page).getByRole('alert').innerText()).toContain('Parse error')
    await openDataset(page, await plan('throws', custom('<script>throw new Error("no such card")</script>', true), cards(2)))
    await expect.poll(() => currentRecord(page).getByRole('alert').innerText()).toContain('no such card')
  })

  test('that does not come to an end can be stopped, and the page goes on', async () => {
    const endless = '<script>if (record.fields.card.name === "Card 0") for (;;) {}</script><p>Done</p>'
    await openDataset(page, await plan('endless', custom(endless, true), cards(3)))
    await currentRecord(page).getByRole('button', { name: 'Stop template' }).click()
    await currentRecord(page).getByRole('button', { name: 'Restart template' }).waitFor()
    await page.keyboard.press('1')
    await expect.poll(said).toBe('Done')
  })
})
