/** Settings of webhooks: a part of `SETTINGS`. */
import type { Setting } from './settings.ts'

const wholeNumber = (given: string, [min, max]: readonly [number, number]): number | undefined =>
  /^\d{1,15}$/.test(given) && Number(given) >= min && Number(given) <= max ? Number(given) : undefined

const integer = (name: string, fallback: number, range: readonly [number, number], about: string): Setting<number> => ({
  name,
  about,
  fallback,
  expected: `a whole number from ${range[0]} to ${range[1]}`,
  read: given => wholeNumber(given, range),
})

export const WEBHOOK_SETTINGS = {
  webhooksPauseAfterSeconds: integer(
    'WEBHOOKS_PAUSE_AFTER_SECONDS',
    259_200,
    [60, 31_536_000],
    'Seconds without a successful delivery, while deliveries fail, after which a webhook is paused; 3 days unless set.',
  ),
  webhooksWaitingMax: integer(
    'WEBHOOKS_WAITING_MAX',
    100_000,
    [100, 10_000_000],
    'Events that may wait for one webhook. A webhook with more is paused, and what waits is given up.',
  ),
}
