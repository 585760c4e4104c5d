/** Excludes characters that look alike, and symbols that have a special meaning in spreadsheets or shells. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 20

/** 116 random bits. */
export function generatePassword(): string {
  const letters: string[] = []
  // Discards bytes above the last multiple of the alphabet's size, so that all letters are equally likely (no modulo bias).
  const limit = 256 - (256 % LETTERS.length)
  while (letters.length < LENGTH) {
    const bytes = crypto.getRandomValues(new Uint8Array(LENGTH))
    letters.push(...Array.from(bytes).flatMap(byte => (byte < limit ? (LETTERS[byte % LETTERS.length] ?? []) : [])))
  }
  return letters.slice(0, LENGTH).join('')
}
