/**
 * Takes screenshots of every page and dialog, for review and for the documentation.
 *
 *   npm run pictures                  light and dark, English and German, 1440 and 390 wide, into .cache/pictures
 *   npm run pictures -- --only home   those whose name begins with this: `home`, `settings-fields`, `outbox`
 *   npm run pictures -- --all         four languages, 320 to 1920 wide, each time in one of the three themes; also with --only and --width
 *   npm run pictures -- --docs        those of README and guides, into docs/pictures
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createSampleDataset } from '../packages/web/src/features/home/sample-dataset.ts'
import { closeBrowser } from '../tests/e2e/browser.ts'
import { type Everything, seedMany } from '../tests/e2e/everything.ts'
import { changeRows, timeIn } from '../tests/e2e/rows.ts'
import type { Screen } from '../tests/e2e/screen.ts'
import { dress, type Look, SCREENS, takeSeats } from '../tests/e2e/screens.ts'
import { seedAdmin } from '../tests/e2e/screens-admin.ts'
import { seedInvitation } from '../tests/e2e/screens-people.ts'
import { openWorld, type World } from '../tests/e2e/seed.ts'
import { buildWeb } from './build-web.ts'
import { prepareChromium } from './chromium.ts'

/** Long timeout, so that a busy machine is slow instead of failing. */
const TIMEOUT_MS = 120_000
const ROOT = fileURLToPath(new URL('..', import.meta.url))

type Dressed = Required<Pick<Look, 'theme' | 'language'>>
const PLAIN = { theme: 'light', language: 'en' } as const
const LOOKS: Dressed[] = [
  PLAIN,
  { theme: 'light', language: 'de' },
  { theme: 'dark', language: 'en' },
  { theme: 'dark', language: 'de' },
]
const CONTRAST: Dressed = { theme: 'contrast', language: 'en' }
const CONTRASTED = ['home of a lead', 'record', 'bulk with ticked records']
interface Size {
  width: number
  height: number
}
const SIZES: Size[] = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

const ALL_SIZES: Size[] = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 720, height: 900 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
]
const THEMES = ['light', 'dark', 'contrast'] as const
/** Every language has every theme at some width, and every width has every theme in some language. */
const allLooksAt = ({ width }: Size): Dressed[] =>
  ['en', 'de', 'es', 'ja'].map((language, at) => {
    const theme = THEMES[(at + ALL_SIZES.findIndex(size => size.width === width)) % THEMES.length] ?? 'light'
    return { language, theme }
  })

/** File names of documentation pictures by screen. */
const DOC_PICTURES: Record<string, string> = {
  'home of a lead': 'home',
  'record of a lead': 'annotate',
  filters: 'annotate-filters',
  bulk: 'bulk',
  palette: 'palette',
  'settings: general': 'settings-general',
  'settings: questions': 'settings-questions',
  'new dataset: columns': 'new-dataset-columns',
  'new dataset: questions': 'new-dataset-questions',
  'export to a file': 'export',
  'import from a hub': 'import-from-hub',
  'people: users': 'users',
  overview: 'overview',
}
const DOCUMENT_SIZE = { width: 1280, height: 800 }

const fileNameOf = ({ name }: Screen) => name.replaceAll(/[^a-z]+/g, '-')

/** Creates the sample dataset, which shows every feature with readable content. */
async function seedSample(world: World): Promise<Everything> {
  const datasetId = await createSampleDataset(world.admin.client)
  const { items } = await world.owner.listRecords({ params: { dataset_id: datasetId }, query: { limit: 50 } })
  const recordIds = items.map(({ id }) => id)
  const found = { word: 'chain', filter: 'language.en', vector: 'topic_and_mood' }
  const [webhookId, invitation] = [await seedAdmin(world), await seedInvitation(world)]
  return { datasetId, recordIds, webhookId, invitation, ...found, ...(await seedMany(world)) }
}

/** Creates a second sample with responses of two people over a week, for the overview. */
async function seedResponses(world: World): Promise<string> {
  const datasetId = await createSampleDataset(world.admin.client)
  const query = { limit: 50, include: ['suggestions'] }
  const { items: records } = await world.owner.listRecords({ params: { dataset_id: datasetId }, query })
  const { items: questions } = await world.owner.listQuestions({ params: { dataset_id: datasetId } })
  const names = new Map(questions.map(({ id, name }) => [id, name]))
  for (const [at, { id, suggestions = [] }] of records.slice(0, 22).entries()) {
    const suggested = suggestions.map(({ question_id, value }) => [names.get(question_id), { value }])
    const mood = at % 4 === 0 ? { mood: { value: ['friendly'] } } : {}
    const values = {
      topic: { value: 'delivery' },
      mood: { value: ['friendly'] },
      rating: { value: 4 },
      ...Object.fromEntries(suggested),
      ...mood,
    }
    const person = at % 3 === 0 ? world.admin : world.annotator
    await person.client.createResponse({ params: { record_id: id }, body: { status: 'submitted', values } })
    const time = timeIn(-86_400 * (6 - Math.floor(at / 4)) + (at % 4) * 25)
    changeRows(world.server, 'update responses set updated_at = ? where record_no = (select no from records where id = ?)', [
      time,
      id,
    ])
  }
  return datasetId
}

type Seats = Awaited<ReturnType<typeof takeSeats>>
interface Shot {
  size: Size
  looks: Dressed[]
  pathOf(look: Look): string
}

async function takePictures(seats: Seats, everything: Everything, screen: Screen, { size, looks, pathOf }: Shot) {
  const { page, troubles } = seats[screen.as]
  // Browsers do not render pages in the background.
  await page.bringToFront()
  await page.setViewportSize(size)
  await screen.open(page, everything)
  // Waits for fonts, images and data loaded after the first response.
  await page.waitForTimeout(500)
  for (const look of looks) {
    await dress(page, look)
    await page.waitForTimeout(150)
    await page.screenshot({ path: pathOf(look) })
  }
  await dress(page, PLAIN)
  await screen.leave?.(page)
  for (const trouble of troubles.splice(0)) console.warn(`${screen.name}: ${trouble}`)
}

interface Choice {
  names: string[] | undefined
  sizes: Size[]
  looksOf(screen: Screen, size: Size): Dressed[]
}

const usualLooks = ({ name }: Screen) => (CONTRASTED.includes(name) ? [...LOOKS, CONTRAST] : LOOKS)

async function takeAll(seats: Seats, everything: Everything, folder: string, choice: Choice): Promise<void> {
  for (const size of choice.sizes)
    for (const screen of SCREENS) {
      const name = fileNameOf(screen)
      const isWanted = choice.names?.some(start => name.startsWith(start)) ?? true
      if (!isWanted || (screen.isWide && size.width < 700)) continue
      const looks = choice.looksOf(screen, size)
      const pathOf = ({ theme, language }: Look) => join(folder, `${name}-${theme}-${language}-${size.width}.png`)
      await takePictures(seats, everything, screen, { size, looks, pathOf })
      console.log(`${name}, ${size.width} wide`)
    }
}

async function takeDocumented(seats: Seats, everything: Everything, answeredId: string, folder: string): Promise<void> {
  for (const screen of SCREENS) {
    const name = DOC_PICTURES[screen.name]
    if (name === undefined) continue
    const pathOf = () => join(folder, `${name}.png`)
    const seeded = name === 'overview' ? { ...everything, datasetId: answeredId } : everything
    await takePictures(seats, seeded, screen, { size: DOCUMENT_SIZE, looks: [PLAIN], pathOf })
    console.log(name)
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      docs: { type: 'boolean' },
      all: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      width: { type: 'string', multiple: true },
    },
  })
  const sizes = (values.all ? ALL_SIZES : SIZES).filter(({ width }) => values.width?.includes(String(width)) ?? true)
  const choice = { names: values.only, sizes, looksOf: values.all ? (_: Screen, size: Size) => allLooksAt(size) : usualLooks }
  const chromium = await prepareChromium(ROOT)
  if ('reason' in chromium) throw new Error(chromium.reason)
  process.env.POSTIL_TEST_CHROMIUM = chromium.path
  await buildWeb()
  const world = await openWorld()
  const folder = join(ROOT, values.docs ? 'docs/pictures' : '.cache/pictures')
  mkdirSync(folder, { recursive: true })
  try {
    const everything = await seedSample(world)
    const seats = await takeSeats(world)
    for (const { page } of Object.values(seats)) page.setDefaultTimeout(TIMEOUT_MS)
    if (values.docs) await takeDocumented(seats, everything, await seedResponses(world), folder)
    else await takeAll(seats, everything, folder, choice)
  } finally {
    await closeBrowser()
    await world.close()
  }
}

await main()
