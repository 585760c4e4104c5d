import { invalid } from './errors.ts'
import type { Id } from './schema.ts'

const IDS_MAX = 100
const UUID = /^(?:urn:uuid:)?\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i

/** Returns the distinct ids of a comma-separated `ids` parameter. */
export function parseIds(text: string): Id[] {
  const pieces = text.split(',')
  if (pieces.length > IDS_MAX) throw invalid(`\`ids\` names ${pieces.length} ids; at most ${IDS_MAX} are taken in one call`)
  const ids = pieces.map(piece => {
    const parts = UUID.exec(piece.trim())
    if (!parts) throw invalid(`\`${piece.slice(0, 100)}\` in \`ids\` is not a UUID; give UUIDs separated by commas`)
    return parts.slice(1).join('-').toLowerCase()
  })
  return [...new Set(ids)]
}
