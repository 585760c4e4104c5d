/** The largest supported cases: a thousand labels, a very long text full of spans, a hundred cards. */
import type { RecordCreate } from '@postil/domain/records'
import type { Page } from 'playwright-core'
import { label, seed, texts, type World } from '../e2e/seed.ts'
import { note } from './ui-figures.ts'
import { isReady, openPage, signedIn } from './ui-pages.ts'
import { quantile, takeKeys, takeSteps, visit } from './ui-probe.ts'

const PRESSES = 25
const LOADS = 20
const SPANS = 2_000
const CARDS_IN_SIGHT = 6
const CHARACTERS = 200_000
const TURNS = 12
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

/** Creates one record: a text of 200,000 characters in which every eighth word is suggested as a span. */
export async function seedSpans(world: World): Promise<string> {
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
  return datasetId
}

export async function measureManySpans(world: World): Promise<void> {
  const datasetId = await seedSpans(world)
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

const PARAGRAPHS = [
  'The **parcel** stood in the rain for a whole day, and *nobody* in the shop answered my letter about it.',
  'You can do this:\n\n1. open the box\n2. write down the number on its `label`\n3. send us a picture of both',
  '> the number is on the side\n\nAs I said before, it is [printed](https://example.org/label) there twice.',
  '```python\ndef find(parcel):\n    return [label for label in parcel if label.number > 3]\n```',
]
const paragraphs = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => `${PARAGRAPHS[(from + i) % PARAGRAPHS.length]} (${from}.${i})`).join('\n\n')

/** Conversations of 12 turns with two replies to choose from, all in unique markdown. */
function chats(count: number): RecordCreate[] {
  return Array.from({ length: count }, (_, i) => ({
    fields: {
      chat: Array.from({ length: TURNS }, (__, turn) => ({
        role: turn % 2 === 0 ? 'user' : 'assistant',
        content: paragraphs(i * TURNS + turn, 2 + (turn % 2)),
      })),
      first: paragraphs(i + 1, 4),
      second: paragraphs(i + 2, 4),
    },
  }))
}

export const seedChats = (world: World, count: number): Promise<string> =>
  seed(world, {
    name: `chats-${count}`,
    fields: [
      { name: 'chat', title: 'Chat', required: true, settings: { type: 'chat', use_markdown: true } },
      { name: 'first', title: 'First reply', required: true, settings: { type: 'text', use_markdown: true } },
      { name: 'second', title: 'Second reply', required: true, settings: { type: 'text', use_markdown: true } },
    ],
    questions: [
      label('better', ['first', 'second', 'equal']),
      { name: 'note', title: 'Note', required: false, settings: { type: 'text', use_markdown: false } },
    ],
    records: chats(count),
  })

export async function measureChats(world: World): Promise<void> {
  const datasetId = await seedChats(world, PRESSES + 15)
  const context = await signedIn(world.server.url, world)
  const { page } = await openPage(context, 1)
  await page.goto(`dataset/${datasetId}/annotation-mode`)
  await isReady(page)
  await page.waitForTimeout(2_000)
  await takeSteps(page)
  for (let i = 0; i < PRESSES; i++) {
    await page.keyboard.press(String((i % 3) + 1))
    await page.waitForTimeout(200)
    await page.keyboard.press('Control+Enter')
    await page.waitForTimeout(600)
  }
  const submits = await takeSteps(page)
  note('submit to the next record, median', 'chats of 12 turns, two replies', quantile(submits, 0.5), 'ms', 50)
  note('submit to the next record, p95', 'chats of 12 turns, two replies', quantile(submits, 0.95), 'ms', 80)
  await context.close()
}

/** Returns the frame times of a scroll through all cards. */
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
    times.push((await visit(page, `dataset/${datasetId}/annotation-mode?page=1~100`)).ready)
    await page.waitForTimeout(500)
  }
  note('bulk view with 100 cards, page load included, median', 'local', quantile(times, 0.5), 'ms', 500)
  const chatsId = await seedChats(world, 100)
  for (const [setting, id] of [
    ['text', datasetId],
    ['chats', chatsId],
  ] as const) {
    await visit(page, `dataset/${id}/annotation-mode?page=1~100`)
    await page.waitForTimeout(1_000)
    note('longest frame of a scroll through 100 cards', setting, Math.max(...(await scrollFrames(page))), 'ms', 50)
  }
  await context.close()
}
