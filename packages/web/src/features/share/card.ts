/** A card as the server signed it: what it says, and where its picture is. */
import { getShareCard } from '@postil/domain/api/share'
import type { ShareCard } from '@postil/domain/share'
import { SERVER_URL } from '../../server-address.ts'

export const pictureUrl = (card: string) => `${SERVER_URL}${getShareCard.path}?card=${encodeURIComponent(card)}`

/** Anybody can write such a text: it is read once the server has taken it for its own. */
export function readCard(card: string): ShareCard {
  const payload = (card.split('.')[0] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  const bytes = Uint8Array.from(atob(payload), character => character.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}
