/**
 * What is stored is what the person has chosen: random forms, and random sequences of keys, clicks and taps.
 *
 * The seeds are fixed. POSTIL_FORM_SEQUENCES says how many sequences, POSTIL_FORM_SEED with which seed they begin; a failure
 * names the seed that repeats it.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDraw, type Draw } from '../agreement/draw.ts'
import { enter, type Seat, takeSeat } from './browser.ts'
import { page, takeDesk, world } from './desk.ts'
import type { Hand } from './forms/keys-model.ts'
import { drawPlan, type FormPlan } from './forms/plans.ts'
import { Pointer } from './forms/pointer.ts'
import { drawSteps, followSteps } from './forms/pointer-model.ts'
import { drawKeys, follow, OUT } from './forms/sequences.ts'
import { type Difference, type Followed, walkPlan } from './forms/walk-plan.ts'

takeDesk({ as: 'annotator' })

const SEED = Number(process.env.POSTIL_FORM_SEED ?? 1)
const PER_PLAN = 10
const MINUTES_10 = 600_000

async function pressKey(key: string) {
  await page.keyboard.press(key)
  // The caret is where the browser left it.
  if (key === 'Shift+Enter') await page.keyboard.press('Control+End')
}

let walks = 0
/** Of a person who uses keys, the mouse or a finger. */
interface Way {
  draw(draw: Draw, plan: FormPlan, at: number, hand: Hand): string[]
  follow(plan: FormPlan, at: number, hand: Hand, steps: readonly string[]): Followed
  page(): Page
  act(step: string, at: number): Promise<void>
}

async function walk(way: Way, plan: FormPlan, sequences: readonly string[][]): Promise<Difference | null> {
  const hand: Hand = { armed: null }
  const follow = (at: number) => way.follow(plan, at, hand, sequences[at] ?? [])
  return await walkPlan({ world, page: way.page(), plan, name: `walk ${++walks}`, follow, act: way.act })
}

/** The sequence alone, without the steps that do not matter. */
async function shorten(way: Way, plan: FormPlan, steps: string[], at: number) {
  const alone = { ...plan, suggestions: [plan.suggestions[at] ?? {}] }
  let found = await walk(way, alone, [steps])
  for (let i = 0; found && i < steps.length; ) {
    const fewer = steps.toSpliced(i, 1)
    const next = await walk(way, alone, [fewer])
    if (next) [steps, found] = [fewer, next]
    else i++
  }
  return found && { plan: alone, ...found, steps }
}

async function check(way: Way, seed: number) {
  const draw = createDraw(seed)
  const plan = drawPlan(draw, PER_PLAN)
  const hand: Hand = { armed: null }
  const sequences = plan.suggestions.map((_, at) => {
    const steps = way.draw(draw, plan, at, hand)
    way.follow(plan, at, hand, steps)
    return steps
  })
  const found = await walk(way, plan, sequences)
  if (found === null) return
  const shortest = await shorten(way, plan, sequences[found.at] ?? [], found.at)
  expect.fail(`POSTIL_FORM_SEED=${seed}: ${JSON.stringify(shortest ?? { plan, ...found, sequences })}`)
}

const seedsFor = (sequences: number) => Array.from({ length: Math.ceil(sequences / PER_PLAN) }, (_, i) => SEED + i)
/** With a number of sequences, each way has that many. */
const sequencesOr = (few: number) => Number(process.env.POSTIL_FORM_SEQUENCES ?? few)

const KEYS: Way = {
  draw: drawKeys,
  follow(...given) {
    const followed = follow(...given)
    return { ...followed, pressed: [...OUT, ...followed.pressed] }
  },
  page: () => page,
  act: pressKey,
}
test.each(seedsFor(sequencesOr(50)))('by keys, seed %i', { timeout: MINUTES_10 }, seed => check(KEYS, seed))

const MOUSE: Way = {
  draw: drawSteps,
  follow: followSteps,
  page: () => page,
  act: (step, at) => new Pointer(page, 'mouse').act(step, at),
}
test.each(seedsFor(sequencesOr(10)))('by mouse, seed %i', { timeout: MINUTES_10 }, seed => check(MOUSE, seed))

describe('on a phone', () => {
  let seat: Seat
  beforeAll(async () => {
    seat = await takeSeat(world.server.url, { width: 390, height: 844, isTouched: true, allow: [/401/] })
    await enter(seat.context, world, world.annotator)
  })
  afterAll(() => seat.context.close())
  const FINGER: Way = { ...MOUSE, page: () => seat.page, act: (step, at) => new Pointer(seat.page, 'finger').act(step, at) }
  test.each(seedsFor(sequencesOr(10)))('by finger, seed %i', { timeout: MINUTES_10 }, async seed => {
    await check(FINGER, seed)
    expect(seat.troubles).toEqual([])
  })
})
