import type { MetadataProperty } from '../metadata-properties.ts'

/**
 * Matches the position after each whole number of a float property in stored JSON, where `.0` belongs. Returns null without float
 * properties.
 *
 * A quote after `{` or `,` always starts a key: inside a string it would be escaped, and after the end of a string no name can
 * follow.
 */
export function toWholeFloats(properties: readonly MetadataProperty[]): RegExp | null {
  const names = properties
    .filter(({ settings }) => settings.type === 'float')
    .map(({ name }) => JSON.stringify(name).slice(1, -1))
  if (names.length === 0) return null
  // The lookahead comes first, so that a long sequence of digits is scanned once.
  return new RegExp(`(?=[,}])(?<=[{,]"(?:${names.map(name => RegExp.escape(name)).join('|')})":-?\\d+)`, 'g')
}
