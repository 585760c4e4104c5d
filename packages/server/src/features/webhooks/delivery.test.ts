/** Deliveries continue after new events, retries, and failures of either side. */
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { openClock } from '../../lib/clock.ts'
import { addDraft, openTestTeam } from '../datasets/testing/datasets.ts'
import { type Delivery, type DeliveryParts, openDelivery } from './delivery.ts'
import { type ExchangeInput, type ExchangeResult, exchange, type Outcome, type Task } from './exchange.ts'
import { addWebhook, openReceiver, openSender, withWebhooks } from './testing/receiver.ts'

const NOTHING: ExchangeResult = { tasks: [], nextAt: null, isFull: false }
const DONE: Outcome = { kind: 'answered', status: 200, excerpt: '', duration_ms: 1 }
const task = (id: string): Task => ({ delivery_id: id, webhook_no: 1 })

let delivery: Delivery | undefined
afterEach(() => delivery?.stop())

/** A fake writer that returns these answers in turn and then has nothing to do. `asked` collects its inputs. */
function open(answers: (ExchangeResult | Error)[], parts: Partial<DeliveryParts> = {}) {
  const asked: ExchangeInput[] = []
  delivery = openDelivery({
    process: 'p',
    exchange: async input => {
      asked.push(input)
      const answer = answers.shift() ?? NOTHING
      if (answer instanceof Error) throw answer
      return answer
    },
    send: async () => DONE,
    listOverfull: async () => [],
    now: openClock(),
    log: pino({ level: 'silent' }),
    isShared: false,
    ...parts,
  })
  return { asked, delivery }
}

const outcomes = (asked: readonly ExchangeInput[]) =>
  asked.flatMap(({ attempts }) => attempts.map(({ delivery_id, outcome }) => [delivery_id, outcome.kind]))

test('what is due is sent, and what came of it stored', async () => {
  const team = await openTestTeam()
  const owner = withWebhooks(team.owner)
  const receiver = openReceiver()
  const { delivery } = open([], { exchange: input => exchange(owner, input), send: openSender(owner, receiver) })
  await addWebhook(owner, ['dataset.created'])
  for (let count = 0; count < 20; count++) await addDraft({ owner, workspaceId: team.workspaceId })
  delivery.wake()
  const text = "select count(*) as done from webhook_deliveries where status = 'succeeded'"
  await expect.poll(() => owner.db.sql.get(text)).toEqual({ done: 20 })
  await delivery.stop()
  await team.ctx.close()
})

describe('it asks', () => {
  test('once for several wakes, and again when an attempt ends', async () => {
    const { asked, delivery } = open([{ ...NOTHING, tasks: [task('a'), task('b')] }])
    delivery.wake()
    delivery.wake()
    await expect
      .poll(() => outcomes(asked))
      .toEqual([
        ['a', 'answered'],
        ['b', 'answered'],
      ])
    expect(asked.length).toBeLessThanOrEqual(3)
  })

  test('not because of new events while nothing more can be sent, but because of changed webhooks', async () => {
    const { promise: hangs, resolve: end } = Promise.withResolvers<Outcome>()
    const { asked, delivery } = open([{ tasks: [task('a')], nextAt: null, isFull: true }], { send: () => hangs })
    delivery.wake()
    await expect.poll(() => asked.length).toBe(1)
    delivery.wake()
    delivery.wake(true)
    await expect.poll(() => asked.length).toBe(2)
    expect(asked[1]?.inFlight).toEqual([task('a')])
    end(DONE)
    await expect.poll(() => outcomes(asked)).toEqual([['a', 'answered']])
  })

  test('when a retry is due', async () => {
    const now = openClock()
    const { asked, delivery } = open([{ ...NOTHING, nextAt: now() }], { now })
    delivery.wake()
    await expect.poll(() => asked.length).toBe(2)
  })

  test('again when the writer fails, with the outcomes that were not stored', async () => {
    const { asked, delivery } = open([{ ...NOTHING, tasks: [task('a')] }, new Error('The disk is full')])
    delivery.wake()
    await expect
      .poll(() => outcomes(asked))
      .toEqual([
        ['a', 'answered'],
        ['a', 'answered'],
      ])
  })

  test('again when the sender fails: nothing was sent', async () => {
    let failures = 1
    const send = async () => {
      if (failures-- > 0) throw new Error('The thread ended')
      return DONE
    }
    const tasks = [task('a')]
    const { asked, delivery } = open(
      [
        { ...NOTHING, tasks },
        { ...NOTHING, tasks },
      ],
      { send },
    )
    delivery.wake()
    await expect
      .poll(() => outcomes(asked))
      .toEqual([
        ['a', 'unsent'],
        ['a', 'answered'],
      ])
  })

  test('with the webhooks for which too much waits', async () => {
    const { asked, delivery } = open([], { listOverfull: async () => [7] })
    delivery.wake()
    await expect.poll(() => asked.map(({ overfull }) => overfull)).toEqual([[7]])
  })
})

describe('a stop', () => {
  test('waits for what is being sent, and stores what comes of it', async () => {
    const { promise: sending, resolve: end } = Promise.withResolvers<Outcome>()
    const { asked, delivery } = open([{ ...NOTHING, tasks: [task('a')] }], { send: () => sending })
    delivery.wake()
    await expect.poll(() => asked.length).toBe(1)
    const stopped = delivery.stop()
    end(DONE)
    await stopped
    expect(outcomes(asked)).toEqual([['a', 'answered']])
  })

  test('does not wait for a target that hangs, and begins nothing new', async () => {
    const sent: Task[] = []
    const send = (given: Task) => {
      sent.push(given)
      return new Promise<Outcome>(() => {})
    }
    const { asked, delivery } = open([{ ...NOTHING, tasks: [task('a')] }], { send })
    delivery.wake()
    await expect.poll(() => asked.length).toBe(1)
    await delivery.stop()
    delivery.wake(true)
    expect(sent).toEqual([task('a')])
  })
})
