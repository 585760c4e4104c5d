/** By code point. JavaScript compares UTF-16 units, which puts emoji before the last characters of the first plane. */
export function compareText(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length)
  for (let i = 0; i < shorter; i++) {
    if (left.charCodeAt(i) === right.charCodeAt(i)) continue
    // The units before are equal, so both stand at the start, or both in the middle, of a character.
    return (left.codePointAt(i) ?? 0) - (right.codePointAt(i) ?? 0)
  }
  return left.length - right.length
}
