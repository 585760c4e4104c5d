/** Signatures according to the Standard Webhooks specification. */
import { createHmac, randomBytes } from 'node:crypto'

export const newSecret = (): string => randomBytes(64).toString('base64')

/**
 * Returns the headers of one attempt, each with a new id, time and signature. Several secrets produce several signatures, in this
 * order.
 */
export function signedHeaders(secrets: readonly string[], body: string, now: Date): Record<string, string> {
  const id = `msg_${randomBytes(16).toString('base64url')}`
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(secret => `v1,${sign(secret)}`).join(' '),
    'content-type': 'application/json',
  }
}
