/**
 * Encodes names and values in the URL: entries are joined by `~`, their parts by `.`, and old links use `_` for a space in a
 * search. A part that contains one of these characters is percent-encoded, in addition to the usual URL encoding, so that `v1.2`
 * and `a~b` can be shared.
 */
const SIGNS = /[.~_!'()*]/g

export const encodePart = (text: string) =>
  encodeURIComponent(text).replace(SIGNS, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Old links were not encoded: an invalid percent sign stands for itself. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const RANGE = /(?:^|\.)ge(-?\d+(?:\.\d+)?)?\.le(-?\d+(?:\.\d+)?)?$/

export interface Entry {
  parts: string[]
  range: { from: number | null; to: number | null } | null
}

export function readEntries(text: string): Entry[] {
  return text
    .split('~')
    .filter(entry => entry !== '')
    .map(entry => {
      const found = RANGE.exec(entry)
      const parts = (found ? entry.slice(0, found.index) : entry).split('.').map(decodePart)
      const toNumber = (digits: string | undefined) => (digits === undefined ? null : Number(digits))
      return { parts, range: found ? { from: toNumber(found[1]), to: toNumber(found[2]) } : null }
    })
}

export const writeEntry = (...parts: string[]) => parts.map(encodePart).join('.')
export const writeRange = ({ from, to }: { from: number | null; to: number | null }) => `ge${from ?? ''}.le${to ?? ''}`
