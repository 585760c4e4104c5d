/** Wizard page helpers, and a file of letters for it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Response } from 'playwright-core'

export const LETTERS = 10_000
export const TOPICS = ['delivery', 'repair', 'billing']
/** Long enough that the file is uploaded in several parts. */
const FILLER = 'The parcel came late, and the box was torn on one side. '.repeat(8)
export const isBad = (row: number) => row % 400 === 0
export const letterOf = (row: number) => `Letter ${row}. ${FILLER}`

/** 10,000 rows; 25 of them have no text. */
export function writeLetters(folder: string, name: string): string {
  const rows = Array.from({ length: LETTERS }, (_, at) => {
    const text = isBad(at + 1) ? '' : letterOf(at + 1)
    return `L${at + 1},"${text}",${TOPICS[at % 3]},${at % 50}\n`
  })
  const path = join(folder, name)
  writeFileSync(path, `key,text,topic,days\n${rows.join('')}`)
  return path
}

export const next = (page: Page) => page.getByTestId('next').click()
export const roleOf = (page: Page, column: string) => page.locator(`[data-column="${column}"]`).getByTestId('role')

export async function mapLetters(page: Page): Promise<void> {
  await roleOf(page, 'key').selectOption('external_id')
  await roleOf(page, 'text').selectOption('field')
  await roleOf(page, 'topic').selectOption('suggestion')
  await roleOf(page, 'days').selectOption('metadata')
}

/** Row numbers in the file of rejected rows. */
export async function readRejects(page: Page): Promise<number[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('rejects').click()])
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n')
  return lines.slice(1).map(line => Number(line.split(',')[0]))
}

/** Pastes the content of a file and goes to the columns. */
export async function usePasted(page: Page, text: string): Promise<void> {
  await page.getByTestId('paste').click()
  await page.getByTestId('pasted').fill(text)
  await page.getByTestId('use-pasted').click()
  await page.getByTestId('read-as').waitFor()
  await next(page)
}

/** True for the answer to the request that starts an import, not a check. */
export const isImportCreated = (response: Response) =>
  response.url().endsWith('/imports') && response.request().method() === 'POST' && !response.request().postDataJSON().dry_run

/** Scrolls to a message of a chat in the preview. True if nothing covers or clips it then. */
export const canBeSeen = (page: Page, text: string) =>
  page.evaluate(wanted => {
    const turn = [...document.querySelectorAll('[data-testid=wizard-preview] .turn')].find(one =>
      one.textContent?.includes(wanted),
    )
    turn?.scrollIntoView({ block: 'center' })
    const box = turn?.getBoundingClientRect()
    const hit = box && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    return turn !== undefined && hit != null && turn.contains(hit)
  }, text)
