/** Settings of webhooks: a part of `SETTINGS`. */
import { boolean, integer } from './setting-kinds.ts'

export const WEBHOOK_SETTINGS = {
  webhooksAllowPrivateAddresses: boolean(
    'WEBHOOKS_ALLOW_PRIVATE_ADDRESSES',
    false,
    'Let webhooks call this machine and private networks. Cloud metadata addresses are refused in any case.',
  ),
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
