/**
 * Field names in the index. They are derived from ids, not from user-defined names, so that any name works, nothing collides, and
 * a property that is deleted and created again becomes a new field.
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

/** The key of a text field. Queries have only the names of fields, which may contain dots, so names are hashed. */
export const textKey = (fieldName: string): string => hash('sha256', fieldName, 'base64url').slice(0, NAME_HASH_LENGTH)

export const textPath = (fieldName: string): string => `text.${textKey(fieldName)}`

export const metadataPath = (propertyId: Id): string => `metadata.${propertyId}`

export const vectorPath = (vectorSettingsId: Id): string => `vectors.${vectorSettingsId}`

export const answerPath = (questionId: Id): string => `responses.values.${questionId}`

/** Path to the values of a target. Those of responses are in nested documents. */
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

/** Engines reject keywords of more than 32,766 bytes. Metadata terms are not longer than this limit; only external ids can be. */
const KEYWORD_BYTES_MAX = 8000
/** Engines reject range bounds of more than 1,000 bytes. */
const BOUND_BYTES_MAX = 900
/** The greatest character. Appended to a truncated bound, so that the bound sorts after all texts that start with it. */
const LAST_CHARACTER = '\u{10FFFF}'

/**
 * Converts a text to a keyword. A long text is truncated and followed by a hash of the whole text. Equality stays exact, and the
 * order is exact for texts that differ in their first 8,000 bytes.
 */
export function toKeyword(text: string): string {
  const start = cutText(text, KEYWORD_BYTES_MAX)
  return start === text ? text : start + hash('sha256', text)
}

/**
 * The lower end of a range. A long bound is truncated, so the range may also include texts that differ from it only after that
 * point.
 */
export const toLowerBound = (text: string): string => cutText(text, BOUND_BYTES_MAX)

/** The upper end of a range, truncated in the same way. */
export function toUpperBound(text: string): string {
  const start = cutText(text, BOUND_BYTES_MAX)
  return start === text ? text : start + LAST_CHARACTER
}

/** Returns as many of the first characters as fit into this number of bytes. */
function cutText(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  let end = bytesMax
  while (((bytes[end] as number) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
