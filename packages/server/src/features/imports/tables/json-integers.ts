import { findStringEnd } from './json-scan.ts'

const LONG_INTEGER = /(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE])/g
const toExact = (digits: string) => (Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`)

/** Integers with more digits than a number holds become texts, as in all formats. */
export function withExactIntegers(bytes: Uint8Array): Uint8Array {
  // One character per byte, so that positions are the same.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (text.search(LONG_INTEGER) === -1) return bytes
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    parts.push(text.slice(at, quote === -1 ? text.length : quote).replace(LONG_INTEGER, toExact))
    if (quote === -1) break
    at = findStringEnd(bytes, quote)
    // Not valid JSON, which is reported for the text as it is.
    if (at === -1) return bytes
    parts.push(text.slice(quote, at))
  }
  return Buffer.from(parts.join(''), 'latin1')
}
