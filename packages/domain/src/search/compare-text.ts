/**
 * Compares by code point. JavaScript compares UTF-16 units, which sorts emoji before the last characters of the Basic
 * Multilingual Plane.
 */
export function compareText(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length)
  for (let i = 0; i < shorter; i++) {
    if (left.charCodeAt(i) === right.charCodeAt(i)) continue
    // The preceding units are equal, so both positions are at the same place within a character.
    return (left.codePointAt(i) ?? 0) - (right.codePointAt(i) ?? 0)
  }
  return left.length - right.length
}
