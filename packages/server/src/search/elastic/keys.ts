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

/**
 * A text as keyword. A long one is cut, and a hash of the whole follows: equality stays exact, and order is exact among texts that differ
 * in their first 8,000 bytes.
 */
export function toKeyword(text: string): string {
  if (text.length * 3 <= KEYWORD_BYTES_MAX) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= KEYWORD_BYTES_MAX) return text
  let end = KEYWORD_BYTES_MAX
  // Not inside a character.
  while (((bytes[end] as number) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end) + hash('sha256', text)
}
