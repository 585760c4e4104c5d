/**
 * Names in the index. They are made of ids, never of names that users choose: any name works, nothing collides, and a property that is
 * deleted and made again is a new field of the index.
 */
import { hash } from 'node:crypto'
import type { Id } from '@postil/domain/schema'
import type { Sort } from '@postil/domain/search/query'

export const RECORD_NO = 'record_no'
export const SHUFFLE = 'shuffle'
export const FLAGS = 'flags'
/** Ids of the questions that have a suggestion. */
export const SUGGESTED = 'suggested'
export const RESPONSES = 'responses'
export const RESPONSE_USER = 'responses.user_id'
export const RESPONSE_STATUS = 'responses.status'
/** A hash of the whole document. */
export const DIGEST = 'digest'

const NAME_HASH_LENGTH = 22

/** The key of a text field. Fields are known to searches by name only, which may hold dots. */
export const textKey = (fieldName: string): string => hash('sha256', fieldName, 'base64url').slice(0, NAME_HASH_LENGTH)

export const textPath = (fieldName: string): string => `text.${textKey(fieldName)}`

export const metadataPath = (propertyId: Id): string => `metadata.${propertyId}`

export const vectorPath = (vectorSettingsId: Id): string => `vectors.${vectorSettingsId}`

export const answerPath = (questionId: Id): string => `responses.values.${questionId}`

/** Where the values of a target are. Those of responses are inside nested documents. */
export function targetPath(target: Sort['target']): string {
  switch (target.kind) {
    case 'record':
      return target.property
    case 'metadata':
      return metadataPath(target.propertyId)
    case 'suggestion':
      return `suggestions.${target.questionId}.${target.property}`
    case 'response':
      return answerPath(target.questionId)
    case 'response_status':
      return RESPONSE_STATUS
  }
}

/** Engines refuse keywords of more than 32,766 bytes. Metadata terms are at most this long; only external ids may be longer. */
const KEYWORD_BYTES_MAX = 8000
/** Engines refuse ranges between texts of more than 1,000 bytes. */
const BOUND_BYTES_MAX = 900
/** No text begins with a cut bound and comes after the bound with this character. */
const LAST_CHARACTER = '\u{10FFFF}'

/**
 * A text as keyword. A long one is cut, and a hash of the whole follows: equality stays exact, and order is exact among texts that differ
 * in their first 8,000 bytes.
 */
export function toKeyword(text: string): string {
  const start = cutText(text, KEYWORD_BYTES_MAX)
  return start === text ? text : start + hash('sha256', text)
}

/** The lower end of a range. A long one is cut, so that the range also holds texts that differ from it only in what is cut off. */
export const toLowerBound = (text: string): string => cutText(text, BOUND_BYTES_MAX)

/** The upper end of a range, cut in the same way. */
export function toUpperBound(text: string): string {
  const start = cutText(text, BOUND_BYTES_MAX)
  return start === text ? text : start + LAST_CHARACTER
}

/** The first characters of a text: as many as these bytes can hold. */
function cutText(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  let end = bytesMax
  while (((bytes[end] as number) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
