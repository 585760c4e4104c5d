/**
 * Progress cards that users share: the name and numbers of a dataset, never the user's identity.
 *
 * A card is text of the form `<payload>.<signature>`. The payload is this object as JSON in base64url, readable for everyone.
 * Only the server can create the signature.
 */
import { invalid } from './errors.ts'

export interface ShareCard {
  dataset: string
  /** Responses submitted by the user who shares the card. */
  submitted: number
  /** Records completed by the team. */
  completed: number
  total: number
  /** UTC date: `2026-11-15`. */
  date: string
}

export const SHARE_SUBMITTED_MIN = 2
/** Enough for the longest name in any script. */
export const CARD_LENGTH_MAX = 1_024

const NAME_MAX = 80
/** Characters that XML does not allow, even escaped: control characters, lone surrogates, U+FFFE and U+FFFF. */
const INVALID_XML_CHARACTERS = /[^\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

export function toShareCard(given: ShareCard): ShareCard {
  if (given.submitted < SHARE_SUBMITTED_MIN)
    throw invalid(`A card needs at least ${SHARE_SUBMITTED_MIN} submitted responses of yours; there are ${given.submitted}`)
  return { ...given, dataset: cut(given.dataset.replace(/\s+/g, ' ').replace(INVALID_XML_CHARACTERS, '').trim()) }
}

function cut(name: string): string {
  const characters = [...name]
  return characters.length <= NAME_MAX ? name : `${characters.slice(0, NAME_MAX - 1).join('')}…`
}
