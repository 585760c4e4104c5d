/** Two replies to one chat: the replies are visible side by side, and the chat is folded to its last messages. */
import type { FieldCreate } from '@postil/domain/fields'
import { expect, test } from 'vitest'
import { currentRecord, expectRecordText, openDataset } from './annotation-page.ts'
import { page, press, takeDesk, world } from './desk.ts'
import { ranking } from './question-plans.ts'
import { seed } from './seed.ts'
import { listViolations } from './visible.ts'

takeDesk({ as: 'admin' })

const WORDS = 'Use long strokes, and let the first coat dry for four hours before the second one goes on. '
const TURNS = Array.from({ length: 12 }, (_, i) => ({
  role: i % 2 === 0 ? 'user' : 'assistant',
  content: `Turn ${i + 1}. ${i === 1 ? 'Primer first. ' : ''}${WORDS.repeat(3)}`,
}))
const FIELDS: FieldCreate[] = [
  { name: 'chat', title: 'Conversation', required: true, settings: { type: 'chat', use_markdown: false } },
  { name: 'reply_a', title: 'Reply A', required: true, settings: { type: 'text', use_markdown: true } },
  { name: 'reply_b', title: 'Reply B', required: false, settings: { type: 'text', use_markdown: true } },
]
const replies = (lines: number) => ({
  reply_a: `First of A.\n\n\`\`\`\npaint()\n\`\`\`\n\n${`${WORDS}\n\n`.repeat(lines)}`,
  reply_b: `First of B.\n\n${`${WORDS}\n\n`.repeat(lines)}`,
})

const compare = (name: string, { options = {}, lines = 20 }: { options?: Record<string, unknown>; lines?: number } = {}) =>
  seed(world, {
    name,
    fields: FIELDS,
    questions: [ranking('better', ['reply_a', 'reply_b'])],
    options,
    records: [0, 1].map(i => ({ fields: { chat: TURNS, ...replies(lines) }, external_id: `pair-${i}` })),
  })

const field = (name: string) => page.getByTestId(`field-${name}`)
const turns = () => field('chat').locator('.turn')
const earlier = () => page.getByTestId('earlier-turns').and(page.locator('article:not([hidden]) *'))
const button = () => page.getByTestId('side-by-side')
async function boxOf(name: string) {
  const box = await field(name).boundingBox()
  if (!box) throw new Error(`${name} is not on screen`)
  return box
}
/** True if both have the same top, are side by side, and are inside the viewport. */
async function areBeside() {
  const [a, b] = [await boxOf('reply_a'), await boxOf('reply_b')]
  return a.y === b.y && a.x + a.width <= b.x && a.y + a.height <= 900
}

test('older turns are folded; a click or a step back shows them, a search that finds something in them too', async () => {
  const id = await compare('folded')
  await openDataset(page, id)
  await expect.poll(() => turns().count()).toBe(3)
  expect(await turns().first().innerText()).toContain('Turn 10.')
  expect((await earlier().innerText()).trim()).toBe('Show 9 earlier messages')
  await earlier().click()
  await expect.poll(() => turns().count()).toBe(12)
  expect(await earlier().getAttribute('aria-expanded')).toBe('true')
  await earlier().press('Enter')
  await expect.poll(() => turns().count()).toBe(3)

  await turns().first().focus()
  await press('k')
  await expect.poll(() => turns().count()).toBe(12)
  await expect
    .poll(() =>
      turns()
        .nth(8)
        .evaluate(turn => turn === document.activeElement),
    )
    .toBe(true)

  // Simulates the browser's own search finding a folded message.
  await press('Escape', 'ArrowRight')
  await expect.poll(() => page.getByTestId('position').innerText()).toBe('2')
  await expect.poll(() => turns().count()).toBe(3)
  await field('chat').locator('[hidden=until-found]').dispatchEvent('beforematch')
  await expect.poll(() => turns().count()).toBe(12)

  await openDataset(page, id, '?search=primer')
  await expect.poll(() => turns().count()).toBe(12)
  expect(await earlier().count()).toBe(0)
})

test('a chat with nothing below it is not folded', async () => {
  const id = await seed(world, {
    name: 'chat alone',
    fields: FIELDS.slice(0, 1),
    questions: [ranking('better', ['one', 'two'])],
    records: [{ fields: { chat: TURNS } }],
  })
  await openDataset(page, id)
  await expect.poll(() => turns().count()).toBe(12)
  expect(await button().count()).toBe(0)
})

test('by button or key the replies stand side by side, in view with the end of the chat; it is kept for the dataset', async () => {
  const id = await compare('own choice')
  await openDataset(page, id)
  expect((await boxOf('reply_b')).y).toBeGreaterThan((await boxOf('reply_a')).y)
  await button().click()
  await expect.poll(areBeside).toBe(true)
  expect(await button().getAttribute('aria-pressed')).toBe('true')
  const end = async () => ((await turns().last().boundingBox())?.y ?? 900) < (await boxOf('reply_a')).y
  await expect.poll(end).toBe(true)
  expect(await listViolations(page)).toEqual([])

  const focused = () => page.evaluate(() => document.activeElement?.closest('.record-field')?.getAttribute('data-testid') ?? null)
  await press('Escape')
  for (const name of ['field-chat', 'field-reply_a', 'field-reply_b', null]) {
    await press('r')
    expect(await focused()).toBe(name)
  }

  // Each field scrolls separately.
  const top = (name: string) => field(name).evaluate(element => element.scrollTop)
  await field('reply_a').focus()
  await press('Alt+ArrowDown')
  await expect.poll(() => top('reply_a')).toBeGreaterThan(0)
  expect(await top('reply_b')).toBe(0)

  await page.reload()
  await currentRecord(page).waitFor()
  await expect.poll(areBeside).toBe(true)
  await press('t')
  await expect.poll(areBeside).toBe(false)
})

test('a narrow window stacks them, in the same order', async () => {
  await openDataset(page, await compare('narrow', { options: { fieldLayout: 'side' }, lines: 2 }))
  await expect.poll(areBeside).toBe(true)
  const order = () =>
    currentRecord(page)
      .locator('.record-field')
      .evaluateAll(all => all.map(one => one.getAttribute('data-testid')))
  const wide = await order()
  expect(wide).toEqual(['field-chat', 'field-reply_a', 'field-reply_b'])
  for (const width of [880, 320]) {
    await page.setViewportSize({ width, height: 900 })
    await expect
      .poll(async () => (await boxOf('reply_b')).y >= (await boxOf('reply_a')).y + (await boxOf('reply_a')).height)
      .toBe(true)
    expect(await order()).toEqual(wide)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('a lead chooses for everybody which fields are compared', async () => {
  const id = await compare('for all', { lines: 2 })
  await page.goto(`dataset/${id}/settings?tab=general`)
  const block = page.getByTestId('block-view')
  await block.getByTestId('layout-side').check()
  await block.getByTestId('compared-chat').check()
  await block.getByTestId('compared-reply_a').check()
  await block.getByTestId('update').click()
  const stored = async () => (await world.owner.getDataset({ params: { dataset_id: id } })).metadata
  await expect.poll(stored).toMatchObject({ postil: { fieldLayout: 'side', comparedFields: ['chat', 'reply_a'] } })
  await openDataset(page, id)
  await expectRecordText(page, 'First of B')
  const [chat, a, b] = [await boxOf('chat'), await boxOf('reply_a'), await boxOf('reply_b')]
  expect(chat.y).toBe(a.y)
  expect(b.y).toBeLessThan(a.y)
})
