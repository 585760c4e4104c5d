/** Walks through the records of a plan in the page, one sequence each, and compares what is stored with what was chosen. */
import type { Page } from 'playwright-core'
import { listRecords, openDataset } from '../annotation-page.ts'
import type { World } from '../seed.ts'
import type { AnswersModel, Outcome } from './answers-model.ts'
import { type FormPlan, seedPlan, toStored, type Value } from './plans.ts'

/** Short, because a record that does not follow is a fault that the test reports. */
const NEXT_MS = 10_000
const SAVED_MS = 30_000

export interface Followed {
  answers: AnswersModel
  outcome: Outcome
  /** What to press or to point at, in words. */
  pressed: readonly string[]
}

export interface Walk {
  world: World
  page: Page
  /** As the annotator of the world. */
  plan: FormPlan
  name: string
  /** Expected answers to the record, given the sequences before it. */
  follow(at: number): Followed
  act(step: string, at: number): Promise<void>
}

export interface Difference {
  at: number
  expected: unknown
  stored: unknown
  pressed: readonly string[]
}

const shows = (page: Page, at: number) =>
  page
    .waitForFunction(
      word => document.querySelector('[data-testid=record]:not([hidden])')?.textContent?.includes(word),
      `r${at}x `,
      { timeout: NEXT_MS, polling: 'raf' },
    )
    .then(
      () => true,
      () => false,
    )

/** Returns the first difference, or null. */
export async function walkPlan({ world, page, plan, name, follow, act }: Walk): Promise<Difference | null> {
  const id = await seedPlan(world, name, plan)
  await openDataset(page, id)
  const followed: Followed[] = []
  for (const at of plan.suggestions.keys()) {
    const now = follow(at)
    followed.push(now)
    for (const step of now.pressed) await act(step, at)
    if (!(await shows(page, at + 1))) {
      const stored = await page.locator('main').innerText()
      return { at, expected: `${now.outcome}, and the next record`, stored, pressed: now.pressed }
    }
  }
  await page.locator('[data-testid=connection][data-state=saved]').waitFor({ timeout: SAVED_MS, state: 'attached' })
  const records = await listRecords(world.owner, id, followed.length + 1)
  for (const [at, { answers, outcome, pressed }] of followed.entries()) {
    const response = records[at]?.responses?.[0]
    const stored = response ? { status: response.status, values: toPlain(response.values) } : null
    const values = answers.stored()
    const expected = { status: outcome === 'left' ? 'draft' : outcome, values: toExpected(values, plan, at) }
    const isSame = sorted(stored) === sorted(expected)
    // Edits that were taken back may have been saved before.
    const isNothing = stored === null && outcome === 'left' && answers.isUntouched()
    if (!isSame && !isNothing) return { at, expected, stored, pressed }
  }
  return null
}

const toPlain = (values: Record<string, { value: unknown }>) =>
  Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value]))
const toExpected = (values: Record<string, Value>, { questions }: FormPlan, at: number) =>
  Object.fromEntries(
    questions.flatMap(({ name, kind }) => (name in values ? [[name, toStored(values[name] as Value, kind, at)]] : [])),
  )

/** Ignores the order of keys and lists. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).sort().join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, one]) => `${key}:${sorted(one)}`)
    .sort()
    .join()}}`
}
