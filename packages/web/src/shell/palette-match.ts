/** Fuzzy matching of palette entries, best match first. Ignores case and accents and tolerates missing letters. */

interface Matchable {
  title: string
  group: string
  words?: string
}

/** Converts to lower case and removes accents and other marks. */
export const normalize = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')

/** Scores how well a word matches a text; 0 means no match. */
export function scoreWord(word: string, text: string): number {
  if (text.startsWith(word)) return 100
  const at = text.indexOf(word)
  if (at > 0) return /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 50 : 80
  return scoreLetters(word, text)
}

/**
 * Scores a subsequence match: smaller gaps score higher. Words of fewer than three letters never match, because they would match
 * almost any text.
 */
function scoreLetters(word: string, text: string): number {
  const letters = Array.from(word)
  if (letters.length < 3) return 0
  let at = -1
  let first = -1
  for (const letter of letters) {
    at = text.indexOf(letter, at + 1)
    if (at < 0) return 0
    if (first < 0) first = at
  }
  const spread = at - first + 1 - word.length
  return spread > 2 * word.length ? 0 : Math.max(1, 30 - spread)
}

/** Every word of the query must match; matches in the title score higher than those in the heading and the search terms. */
export function scoreEntry({ title, group, words = '' }: Matchable, query: string): number {
  const [mainText, otherText] = [normalize(title), normalize(`${words} ${group}`)]
  let total = 0
  for (const word of normalize(query).split(/\s+/).filter(Boolean)) {
    const inOthers = otherText.includes(word) ? 20 : 0
    const score = Math.max(scoreWord(word, mainText), inOthers)
    if (score === 0) return 0
    total += score
  }
  return total
}

/** Returns the best matches. An empty query returns the entries in their original order. */
export function rankEntries<T extends Matchable>(entries: readonly T[], query: string, max: number): T[] {
  if (query.trim() === '') return entries.slice(0, max)
  return entries
    .map((entry, place) => ({ entry, place, score: scoreEntry(entry, query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, max)
    .map(({ entry }) => entry)
}

/** Groups entries by heading; headings are ordered by their best entry. */
export function groupEntries<T extends { group: string }>(entries: readonly T[]): { group: string; entries: T[] }[] {
  return [...Map.groupBy(entries, ({ group }) => group)].map(([group, members]) => ({ group, entries: members }))
}
