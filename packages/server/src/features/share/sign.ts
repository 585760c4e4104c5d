/** Cards signed by this server, with a key used for nothing else. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { invalid } from '@postil/domain/errors'
import type { ShareCard } from '@postil/domain/share'
import type { Secrets } from '../../lib/secrets.ts'

function signatureOf({ signing }: Secrets, payload: string): string {
  const key = Buffer.from(hkdfSync('sha256', signing, '', 'postil share card', 32))
  return createHmac('sha256', key).update(payload).digest('base64url')
}

export function signCard(secrets: Secrets, card: ShareCard): string {
  const payload = Buffer.from(JSON.stringify(card)).toString('base64url')
  return `${payload}.${signatureOf(secrets, payload)}`
}

/** Returns the card if its signature is valid. Throws otherwise. */
export function verifyCard(secrets: Secrets, text: string): ShareCard {
  const [payload = '', signature = ''] = text.split(/\.(.*)/s)
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(secrets, payload))]
  if (given.length !== right.length || !timingSafeEqual(given, right))
    throw invalid('`card` is not whole, or not of this server. Expected: one that it made')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
}
