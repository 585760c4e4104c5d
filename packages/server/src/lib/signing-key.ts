const BYTES_MIN = 32
/** A random text of 32 bytes in base64 or hex has more, but for one in a billion. */
const CHARACTERS_MIN = 6

/** A key that an operator gave, or undefined when it can be guessed: it is short, of few characters, or one text repeated. */
export function toSigningKey(given: string): string | undefined {
  const isStrong = Buffer.byteLength(given) >= BYTES_MIN && new Set(given).size >= CHARACTERS_MIN && !isRepeated(given)
  return isStrong ? given : undefined
}

/** Such as `abcabcab`: it is found inside itself, moved by less than half its length. */
function isRepeated(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period++) if (text.startsWith(text.slice(period))) return true
  return false
}
