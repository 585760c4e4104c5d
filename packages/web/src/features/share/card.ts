/** Share card signed by the server: its content, and the URL of its image. */
import { getShareCard } from '@postil/domain/api/share'
import type { ShareCard } from '@postil/domain/share'
import { SERVER_URL } from '../../server-address.ts'

export const pictureUrl = (card: string) => `${SERVER_URL}${getShareCard.path}?card=${encodeURIComponent(card)}`

/** Decodes the card without checking its signature; call it only after the server has accepted the card. */
export function readCard(card: string): ShareCard {
  const payload = (card.split('.')[0] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  const bytes = Uint8Array.from(atob(payload), character => character.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}
