/** Markdown that keeps a parser busy or paints outside its field. */
import type { FieldCreate } from '@postil/domain/fields'
import { describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, openDataset } from './annotation-page.ts'
import { page, takeDesk, world } from './desk.ts'
import { label, seed } from './seed.ts'

takeDesk({ as: 'annotator', each: 'new', allow: [/Content Security Policy/] })

const MARKDOWN: FieldCreate = { name: 'text', title: 'Text', required: true, settings: { type: 'text', use_markdown: true } }
const plan = (name: string, texts: string[], fields = [MARKDOWN]) =>
  seed(world, {
    name,
    fields,
    questions: [label('mood', ['good', 'bad'])],
    records: texts.map(text => ({ fields: Object.fromEntries(fields.map(field => [field.name, text])) })),
  })

/** CPU time of the page's main thread since the last call, which does not depend on the load of the machine. */
async function openBusyTime(): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  let before = 0
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const now = (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
    const passed = Math.round(now - before)
    before = now
    return passed
  }
}

describe('a text that keeps a parser busy', () => {
  const LENGTH = 180_000
  const fill = (unit: string) => unit.repeat(Math.floor(LENGTH / unit.length))
  const row = `|${'a|'.repeat(400)}`
  const ATTACKS: Record<string, string> = {
    backticks: Array.from({ length: 600 }, (_, i) => '`'.repeat(i + 1))
      .join(' ')
      .slice(0, LENGTH),
    'many backticks': fill('`'),
    brackets: fill('['),
    'brackets and links': fill('[a]('),
    'deep elements': fill('<div>'),
    'unclosed formatting': `${'<b>'.repeat(3_000)}${fill('<p>a').slice(0, 160_000)}`,
    'a table of 400 columns': `${row}\n|${'-|'.repeat(400)}\n${`${row}\n`.repeat(220)}`.slice(0, LENGTH),
    'many formulas': fill('$\\frac{a}{b}$ '),
    code: `\`\`\`js\n${fill('a = "b" + 1 // c\n').slice(0, LENGTH)}\n\`\`\``,
  }

  test('never stops the page, neither on screen nor while it comes next', async () => {
    const busyMs = await openBusyTime()
    const id = await plan('busy', ['A first text', ...Object.values(ATTACKS), 'A last text'])
    await openDataset(page, id)
    await expectRecordText(page, 'A first text')
    await busyMs()
    const took: Record<string, number> = {}
    for (const [i, name] of Object.keys(ATTACKS).entries()) {
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => page.getByTestId('position').textContent()).toBe(String(i + 2))
      await currentRecord(page).locator('.soon').waitFor({ state: 'detached' })
      took[name] = await busyMs()
    }
    // Without the worker and the limits, a single text takes 10 to 60 s.
    expect(Object.entries(took).filter(([, ms]) => ms > 2_000)).toEqual([])
    await page.keyboard.press('ArrowRight')
    await expectRecordText(page, 'A last text')
  })

  test('is shown as it is written, with a note', async () => {
    const id = await plan('note', [fill('<div>'), '**Bold** words'])
    await openDataset(page, id)
    await expectRecordText(page, 'Shown as plain text')
    await expectRecordText(page, '<div><div>')
    await page.keyboard.press('ArrowRight')
    await expectRecordText(page, 'Bold words')
    expect(await currentRecord(page).innerText()).not.toContain('Shown as plain text')
  })

  test('that is long but simple is formatted all the same', async () => {
    const paragraph = 'Some *words* with a [link](https://example.org/a_b), `code`, $x^2$ and **more**.\n\n'
    const id = await plan('long', [paragraph.repeat(400)])
    await openDataset(page, id)
    await expect.poll(() => currentRecord(page).locator('.rendered > p').count()).toBe(400)
    await expect.poll(() => currentRecord(page).locator('math').count()).toBeGreaterThan(200)
  })

  test('in a chat of many turns does not stop the page', async () => {
    const CHAT: FieldCreate = { name: 'chat', title: 'Chat', required: true, settings: { type: 'chat', use_markdown: true } }
    const turns = Array.from({ length: 200 }, (_, i) => ({
      role: i % 2 ? 'assistant' : 'user',
      content: `${'*a _b '.repeat(300)} ${i}`,
    }))
    const id = await plan('chat', [turns as never], [CHAT])
    const busyMs = await openBusyTime()
    await openDataset(page, id)
    await currentRecord(page).locator('.soon').first().waitFor({ state: 'detached' })
    expect(await busyMs()).toBeLessThan(6_000)
  })
})

describe('a text cannot paint outside its field', () => {
  const CHAT: FieldCreate = { name: 'text', title: 'Text', required: true, settings: { type: 'chat', use_markdown: true } }
  const FORMULAS = [
    '<math><mpadded voffset="-300px" height="0" depth="0"><mtext>UP UP UP UP</mtext></mpadded></math>',
    '<math><mpadded lspace="-300px" width="0"><mtext>LEFT LEFT LEFT</mtext></mpadded></math>',
    '<math><mspace width="-300px"></mspace><mtext>LEFT LEFT LEFT</mtext></math>',
    '<math><mspace width="3000px"></mspace><mtext>RIGHT</mtext></math>',
    '$\\kern{-18em}{\\Huge LEFT}$ $\\raise{18em}{\\Huge UP}$ $\\hspace{-20em}\\text{LEFT}$ $\\rlap{\\hspace{18em} RIGHT}$',
  ].join('\n\n')
  /** Antialiasing may differ slightly between screenshots. */
  const NOISE_MAX = 200

  const countChanges = (pictures: Buffer[]) =>
    page.evaluate(
      async urls => {
        const read = async (url: string) => {
          const image = new Image()
          image.src = url
          await image.decode()
          const canvas = document.createElement('canvas')
          canvas.width = image.width
          canvas.height = image.height
          const pen = canvas.getContext('2d')
          pen?.drawImage(image, 0, 0)
          return new Uint32Array(pen?.getImageData(0, 0, image.width, image.height).data.buffer ?? new ArrayBuffer(0))
        }
        const [before, after] = await Promise.all(urls.map(read))
        return before?.reduce((count, pixel, i) => count + (pixel === after?.[i] ? 0 : 1), 0)
      },
      pictures.map(picture => `data:image/png;base64,${picture.toString('base64')}`),
    )

  test.each([
    ['markdown', FORMULAS, MARKDOWN],
    ['a chat', [{ role: 'user', content: FORMULAS }], CHAT],
  ] as const)('in %s', async (name, value, field) => {
    const id = await plan(`paint ${name}`, [value as string], [field])
    await openDataset(page, id)
    await currentRecord(page).locator('.soon').waitFor({ state: 'detached' })
    await expect.poll(() => currentRecord(page).locator('math').count()).toBeGreaterThan(5)
    const text = currentRecord(page).getByTestId('field-text')
    // The field itself is masked, so that only its surroundings are compared.
    const lookAround = () => page.screenshot({ mask: [text], animations: 'disabled', caret: 'hide' })
    const before = await lookAround()
    await text.locator('.field-body').evaluate(element => {
      element.style.opacity = '0'
    })
    expect(await countChanges([before, await lookAround()])).toBeLessThan(NOISE_MAX)
  })
})
