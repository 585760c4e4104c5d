/** The largest things a person may meet: a thousand labels, a very long text full of spans, a hundred cards. */
import type { Page } from 'playwright-core'
import { seed, texts, type World } from '../e2e/seed.ts'
import { note } from './ui-figures.ts'
import { isReady, openPage, signedIn } from './ui-pages.ts'
import { quantile, takeKeys, visit } from './ui-probe.ts'

const PRESSES = 25
const LOADS = 20
const SPANS = 2_000
const CARDS_IN_SIGHT = 6
const CHARACTERS = 200_000
const NAMES = ['person', 'place', 'thing']

async function press(page: Page, keys: readonly string[]): Promise<number[]> {
  await takeKeys(page)
  for (let i = 0; i < PRESSES; i++) {
    await page.keyboard.press(keys[i % keys.length] ?? '')
    await page.waitForTimeout(400)
  }
  return takeKeys(page)
}

function noteKeys(setting: string, keys: readonly number[]): void {
  note('key to a change in the form, median', setting, quantile(keys, 0.5), 'ms', 16)
  note('key to a change in the form, p95', setting, quantile(keys, 0.95), 'ms', 33)
}

export async function measureManyLabels(world: World): Promise<void> {
  const datasetId = await seed(world, {
    name: 'many-labels',
    questions: [
      {
        name: 'answer',
        title: 'Which ones',
        required: true,
        settings: {
          type: 'multi_label_selection',
          options: Array.from({ length: 1_000 }, (_, i) => ({ value: `v${i}`, text: `label ${i}`, description: null })),
          visible_options: null,
        },
      },
    ],
    records: texts(5, i => `text ${i}`),
  })
  const context = await signedIn(world.server.url, world)
  const { page } = await openPage(context, 1)
  await page.goto(`dataset/${datasetId}/annotation-mode`)
  await isReady(page)
  await page.keyboard.press('q')
  await page.waitForTimeout(500)
  noteKeys('1,000 labels', await press(page, ['Space']))
  await context.close()
}

export async function measureManySpans(world: World): Promise<void> {
  const words = 'parcel letter garden window'.split(' ')
  const text = Array.from({ length: CHARACTERS / 7 }, (_, i) => words[i % words.length]).join(' ')
  const spans = Array.from({ length: SPANS }, (_, i) => ({ start: i * 56, end: i * 56 + 6, label: NAMES[i % 3] ?? '' }))
  const datasetId = await seed(world, {
    name: 'many-spans',
    questions: [
      {
        name: 'marks',
        title: 'Marks',
        required: true,
        settings: {
          type: 'span',
          field: 'text',
          allow_overlapping: false,
          options: NAMES.map(value => ({ value, text: value })),
        },
      } as Parameters<typeof seed>[1]['questions'][number],
    ],
    records: [],
  })
  const params = { dataset_id: datasetId }
  const { items: questions } = await world.owner.listQuestions({ params })
  const suggestions = questions.map(({ id }) => ({ question_id: id, value: spans }))
  await world.owner.createRecordsBulk({ params, body: { items: [{ fields: { text }, suggestions }] } })
  const context = await signedIn(world.server.url, world)
  const { page } = await openPage(context, 1)
  await page.goto(`dataset/${datasetId}/annotation-mode`)
  await isReady(page)
  await page.waitForTimeout(1_000)
  await page
    .getByTestId('field-text')
    .locator('.spans')
    .click({ position: { x: 120, y: 40 } })
  noteKeys('200,000 characters, 2,000 spans', await press(page, ['ArrowRight', '1', 'ArrowRight', '2']))
  await context.close()
}

/** Frames between the first and the last step of a scroll through all cards. */
async function scrollFrames(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    const list = document.querySelector('[data-testid=record]')?.closest<HTMLElement>('.sheet, .bulk-scroll, [data-pane=record]')
    const frames: number[] = []
    let last = await new Promise(requestAnimationFrame)
    for (let i = 0; i < 120 && list; i++) {
      list.scrollBy(0, 120)
      const now = await new Promise(requestAnimationFrame)
      frames.push(Number(now) - Number(last))
      last = now
    }
    return frames
  })
}

export async function measureBulk(world: World, datasetId: string): Promise<void> {
  const context = await signedIn(world.server.url, world)
  const { page } = await openPage(context, 1, CARDS_IN_SIGHT)
  const times: number[] = []
  for (let i = 0; i < LOADS; i++) {
    times.push(await visit(page, `dataset/${datasetId}/annotation-mode?page=1~100`))
    await page.waitForTimeout(500)
  }
  note('bulk view with 100 cards, page load included, median', 'local', quantile(times, 0.5), 'ms', 500)
  await page.waitForTimeout(500)
  note('longest frame of a scroll through 100 cards', 'local', Math.max(...(await scrollFrames(page))), 'ms', 50)
  await context.close()
}
