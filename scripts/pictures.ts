/**
 * Pictures of every page, for people to look at and for the documents.
 *
 *   npm run pictures             every page, light and dark, English and German, 1440 and 390 wide, into .cache/pictures
 *   npm run pictures -- --docs   those of README and guides, into docs/pictures
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { createSampleDataset } from '../packages/web/src/features/home/sample-dataset.ts'
import { closeBrowser, type SeatOptions, signIn, takeSeat } from '../tests/e2e/browser.ts'
import { openWorld, type World } from '../tests/e2e/seed.ts'
import { buildWeb } from './build-web.ts'
import { prepareChromium } from './chromium.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Shot {
  name: string
  path(datasetId: string): string
  /** What has to be there before the picture is taken. */
  handle: string
  before?(page: Page): Promise<unknown>
  isPublic?: boolean
  isWideOnly?: boolean
}

const annotate = (datasetId: string, query = '') => `dataset/${datasetId}/annotation-mode${query}`
const settings = (tab: string): Shot => ({
  name: `settings-${tab}`,
  path: id => `dataset/${id}/settings?tab=${tab}`,
  handle: 'main',
})
const mine = (tab: string): Shot => ({ name: `my-settings-${tab}`, path: () => `user-settings?tab=${tab}`, handle: 'main' })

const SHOTS: Shot[] = [
  { name: 'sign-in', path: () => 'sign-in', handle: '[data-testid=sign-in-submit]', isPublic: true },
  { name: 'home', path: () => '', handle: '[data-testid=dataset-card]' },
  // The guidelines open by themselves on a first visit.
  { name: 'annotate', path: id => annotate(id), handle: '[data-testid=record]', before: page => page.keyboard.press('i') },
  { name: 'annotate-search', path: id => annotate(id, '?search=brake'), handle: '[data-testid=record]' },
  {
    name: 'annotate-filters',
    path: id => annotate(id),
    handle: '[data-testid=record]',
    before: page => page.keyboard.press('f'),
  },
  { name: 'bulk', path: id => annotate(id, '?page=1~10'), handle: '[data-testid=select-all]', isWideOnly: true },
  { name: 'palette', path: id => annotate(id), handle: '[data-testid=record]', before: page => page.keyboard.press('Control+k') },
  { name: 'shortcuts', path: id => annotate(id), handle: '[data-testid=record]', before: page => page.keyboard.press('?') },
  ...['general', 'fields', 'questions', 'metadata', 'vector', 'danger-zone'].map(settings),
  ...['profile', 'look', 'keys', 'access'].map(mine),
  { name: 'not-found', path: () => 'nowhere', handle: 'main' },
]

async function takeShots(
  world: World,
  datasetId: string,
  folder: string,
  options: SeatOptions,
  shots: Shot[],
  suffix: string,
): Promise<void> {
  const { page, context } = await takeSeat(world.server.url, options)
  const take = async ({ name, path, handle, before }: Shot) => {
    await page.goto(path(datasetId))
    await page.locator(handle).first().waitFor()
    await before?.(page)
    // Fonts, images and what comes after the first answer.
    await page.waitForTimeout(700)
    await page.screenshot({ path: join(folder, `${name}${suffix}.png`) })
    console.log(`${name}${suffix}`)
  }
  for (const shot of shots.filter(({ isPublic }) => isPublic)) await take(shot)
  await signIn(page, world.admin.username, world.admin.password)
  for (const shot of shots.filter(({ isPublic, isWideOnly }) => !isPublic && (!isWideOnly || (options.width ?? 1440) > 900)))
    await take(shot)
  await context.close()
}

const THEMES = ['light', 'dark'] as const
const LANGUAGES = ['en', 'de'] as const
const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]
const DOCUMENTED = ['home', 'annotate', 'annotate-filters', 'bulk', 'palette', 'settings-questions', 'settings-general']

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { docs: { type: 'boolean' }, only: { type: 'string', multiple: true } } })
  const chromium = await prepareChromium(ROOT)
  if ('reason' in chromium) throw new Error(chromium.reason)
  process.env.POSTIL_TEST_CHROMIUM = chromium.path
  await buildWeb()
  const world = await openWorld()
  const folder = join(ROOT, values.docs ? 'docs/pictures' : '.cache/pictures')
  mkdirSync(folder, { recursive: true })
  try {
    const datasetId = await createSampleDataset(world.admin.client)
    const shots = SHOTS.filter(({ name }) => values.only?.includes(name) ?? true)
    if (values.docs) {
      await takeShots(
        world,
        datasetId,
        folder,
        { width: 1280, height: 800 },
        shots.filter(({ name }) => DOCUMENTED.includes(name)),
        '',
      )
      return
    }
    for (const theme of THEMES)
      for (const language of LANGUAGES)
        for (const size of WIDTHS)
          await takeShots(world, datasetId, folder, { ...size, theme, language }, shots, `-${theme}-${language}-${size.width}`)
  } finally {
    await closeBrowser()
    await world.close()
  }
}

await main()
