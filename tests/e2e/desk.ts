/** A signed-in user: setup, actions and checks shared by many tests. */
import type { Suggestion } from '@postil/domain/suggestions'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { openDataset, storedResponse } from './annotation-page.ts'
import { clearSeat, closeContexts, enter, type Seat, takeSeat } from './browser.ts'
import { openWorld, type Plan, seed, shareWorld, texts, type World } from './seed.ts'

export let world: World
export let page: Page

interface DeskOptions {
  as: 'annotator' | 'admin'
  /** Each test begins with an emptied or a new browser context; by default the file has one. */
  each?: 'emptied' | 'new'
  /** Console messages that these tests expect. */
  allow?: RegExp[]
  env?: Record<string, string>
}

let desk: DeskOptions = { as: 'annotator' }

/** For `takeWorld`: a server that no other file uses, without settings. */
export const OWN_SERVER: Record<string, string> = {}

/**
 * A workspace for the tests of the file, which open their own pages. It is on a server that files share, unless the file has
 * settings.
 */
export function takeWorld(env?: Record<string, string>): void {
  beforeAll(async () => {
    world = await (env ? openWorld(env) : shareWorld())
  })
  afterAll(async () => {
    await closeContexts()
    await world.close()
  })
}

/**
 * If a page is left before the browser has stored that a deletion succeeded, the next page sends it again and treats 404 as
 * success.
 */
const REPEATED_DELETION = /404.*\/api\/v1\/responses\/[^/]+\?if_updated_at/

/** Fails a test that causes unexpected errors in the page. */
export function takeDesk(options: DeskOptions): void {
  let seat: Seat | undefined
  beforeAll(() => {
    desk = options
  })
  const sitDown = async () => {
    const { url } = world.server
    if (seat && !seat.page.isClosed()) await clearSeat(seat, url)
    else {
      // A test may close its page.
      await seat?.context.close()
      seat = await takeSeat(url, { allow: [/401/, REPEATED_DELETION, ...(options.allow ?? [])] })
    }
    page = seat.page
    await enter(seat.context, world, world[options.as])
  }
  takeWorld(options.env)
  if (!options.each) beforeAll(sitDown)
  beforeEach(async () => {
    if (options.each) await sitDown()
    return async () => {
      const troubles = seat?.troubles.splice(0)
      if (options.each === 'new') {
        await seat?.context.close()
        seat = undefined
      }
      expect(troubles).toEqual([])
    }
  })
}

export async function begin(name: string, plan: Omit<Plan, 'name' | 'records'> & Partial<Plan>): Promise<string> {
  const id = await seed(world, { name, records: texts(3), ...plan })
  await openDataset(page, id)
  return id
}
/** Opens records that all have this suggestion for the first question. */
export async function beginSuggested(name: string, plan: Partial<Plan> & Pick<Plan, 'questions'>, given: Partial<Suggestion>) {
  const id = await seed(world, { name, records: [], ...plan })
  const params = { dataset_id: id }
  const { items } = await world.owner.listQuestions({ params })
  const suggestions = [{ question_id: items[0]?.id ?? '', value: given.value, score: given.score ?? null, agent: 'model-7' }]
  const body = { items: texts(2).map(record => ({ ...record, suggestions })) }
  await world.owner.createRecordsBulk({ params, body } as Parameters<typeof world.owner.createRecordsBulk>[0])
  await openDataset(page, id)
  return id
}
export async function press(...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key)
}
/** Submits the answer and reads it back. */
export async function submitAndRead(datasetId: string, at = 0) {
  const asMe = { ...world, annotator: world[desk.as] }
  await press('Enter')
  await expect.poll(async () => (await storedResponse(asMe, datasetId, at))?.status).toBe('submitted')
  return (await storedResponse(asMe, datasetId, at))?.values ?? {}
}
export const question = (name: string) => page.getByTestId(`question-${name}`)
export const option = (name: string, value: string) => question(name).locator(`[data-testid=option][data-value="${value}"]`)
