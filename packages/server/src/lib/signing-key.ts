const BYTES_MIN = 32
/** 32 random bytes in base64 or hex have more distinct characters, except for one in a billion. */
const CHARACTERS_MIN = 6

/** Returns the operator's key, or undefined if it is guessable: too short, with few distinct characters, or a repeated text. */
export function toSigningKey(given: string): string | undefined {
  const isStrong = Buffer.byteLength(given) >= BYTES_MIN && new Set(given).size >= CHARACTERS_MIN && !isRepeated(given)
  return isStrong ? given : undefined
}

/** True for a text such as `abcabcab`, which matches itself when shifted by at most half its length. */
function isRepeated(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period++) if (text.startsWith(text.slice(period))) return true
  return false
}
