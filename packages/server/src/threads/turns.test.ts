import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTurns, type Work } from './turns.ts'

type Lengths = Partial<Record<Work, number>>

const CALLS = ['urgent', 'bulk'] as const

/** Opens turns on a clock that advances only while work runs. Kinds without a length have nothing to do. */
function openClockedTurns() {
  let ms = 0
  const turns = createTurns(() => ms)
  const take = async (lengths: Lengths): Promise<Work> => {
    const kind = turns.next(CALLS.filter(call => lengths[call] !== undefined))
    await turns.run(kind, async () => {
      ms += lengths[kind] ?? 0
    })
    return kind
  }
  return { take, ms: () => ms }
}

/** Returns each kind's share of the time in percent if all kinds with a length always have work. */
async function share(lengths: Lengths, untilMs: number): Promise<Lengths> {
  const { take, ms } = openClockedTurns()
  const used: Record<Work, number> = { urgent: 0, bulk: 0, background: 0 }
  while (ms() < untilMs) {
    const kind = await take(lengths)
    used[kind] += lengths[kind] ?? 0
  }
  return Object.fromEntries(Object.keys(lengths).map(kind => [kind, Math.round((100 * used[kind as Work]) / ms())]))
}

describe('under sustained load', () => {
  test.each([
    { lengths: { bulk: 40, background: 20 }, percent: { bulk: 80, background: 20 } },
    // After a long background step, or if bulk writes are short, more bulk writes follow.
    { lengths: { bulk: 40, background: 200 }, percent: { bulk: 80, background: 20 } },
    { lengths: { bulk: 5, background: 20 }, percent: { bulk: 80, background: 20 } },
    { lengths: { urgent: 3, background: 20 }, percent: { urgent: 94, background: 6 } },
    { lengths: { urgent: 3, bulk: 40 }, percent: { urgent: 80, bulk: 20 } },
    { lengths: { urgent: 3, bulk: 40, background: 20 }, percent: { urgent: 76, bulk: 19, background: 5 } },
    // Checking for background work when there is none costs almost no time.
    { lengths: { bulk: 40, background: 0.1 }, percent: { bulk: 100, background: 0 } },
    { lengths: { background: 20 }, percent: { background: 100 } },
  ])('turns of $lengths ms share the time as $percent', async ({ lengths, percent }) => {
    expect(await share(lengths, 100_000)).toEqual(percent)
  })

  test('no kind waits for more than one turn of background work, whatever the turns take', async () => {
    const length = fc.integer({ min: 1, max: 300 })
    const turn = fc.record({ urgent: fc.option(length), bulk: fc.option(length), background: length })
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 60 }), async list => {
        const { take } = openClockedTurns()
        let before: Work | null = null
        for (const { background, urgent, bulk } of list) {
          const kind = await take({
            background,
            ...(urgent === null ? {} : { urgent }),
            ...(bulk === null ? {} : { bulk }),
          })
          if (urgent !== null || bulk !== null) expect([before, kind]).not.toEqual(['background', 'background'])
          before = kind
        }
      }),
    )
  })
})

describe('an urgent call', () => {
  test('goes before bulks and background work that wait', async () => {
    const { take } = openClockedTurns()
    const order: Work[] = []
    for (const urgent of [false, true, false, true, false, true]) {
      order.push(await take({ bulk: 40, background: 20, ...(urgent ? { urgent: 3 } : {}) }))
    }
    expect(order).toEqual(['bulk', 'urgent', 'background', 'urgent', 'bulk', 'urgent'])
  })

  test('after a long pause does not keep the others waiting for the time that was not used', async () => {
    const { take } = openClockedTurns()
    for (let i = 0; i < 100; i++) await take({ bulk: 40 })
    const order: Work[] = []
    for (let i = 0; i < 5; i++) order.push(await take({ urgent: 80, bulk: 40 }))
    expect(order).toEqual(['urgent', 'urgent', 'urgent', 'bulk', 'background'])
  })
})

test('without calls, it is the turn of background work', () => {
  expect(createTurns().next([])).toBe('background')
})

test('a turn that fails counts too', async () => {
  let ms = 0
  const turns = createTurns(() => ms)
  const failing = turns.run('bulk', async () => {
    ms += 40
    throw new Error('broken')
  })
  await expect(failing).rejects.toThrow('broken')
  expect(turns.next(['bulk'])).toBe('background')
})
