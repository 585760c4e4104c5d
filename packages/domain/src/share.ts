/**
 * What people may show others of their work in a dataset: its name and numbers, never who they are.
 *
 * A card travels as text, `<payload>.<signature>`: the payload is this object as JSON in base64url, so that everybody can
 * read it, and the signature is the server's, so that nobody else can make one.
 */
import { invalid } from './errors.ts'

export interface ShareCard {
  dataset: string
  /** By the person who shares it. */
  submitted: number
  /** By the team. */
  completed: number
  total: number
  /** UTC: `2026-11-15`. */
  date: string
}

export const SHARE_SUBMITTED_MIN = 2
/** Room for the longest name in any script, and to spare. */
export const CARD_LENGTH_MAX = 1_024

const NAME_MAX = 80
/** What no XML may hold, not even escaped: control characters, halves of characters and the two that are none. */
const NO_TEXT = /[^\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

export function toShareCard(given: ShareCard): ShareCard {
  if (given.submitted < SHARE_SUBMITTED_MIN)
    throw invalid(`A card needs at least ${SHARE_SUBMITTED_MIN} submitted responses of yours; there are ${given.submitted}`)
  return { ...given, dataset: cut(given.dataset.replace(/\s+/g, ' ').replace(NO_TEXT, '').trim()) }
}

function cut(name: string): string {
  const characters = [...name]
  return characters.length <= NAME_MAX ? name : `${characters.slice(0, NAME_MAX - 1).join('')}…`
}
