/** Which rows of the palette fit what was typed, best first: forgiving about case, accents and letters left out. */

interface Matchable {
  title: string
  group: string
  words?: string
}

/** Lower case, without accents and other marks. */
export const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')

/** How well one word fits a text: 0 is not at all. */
export function scoreWord(word: string, text: string): number {
  if (text.startsWith(word)) return 100
  const at = text.indexOf(word)
  if (at > 0) return /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 50 : 80
  return scoreLetters(word, text)
}

/** All letters in order, with gaps: the tighter they stand, the better. Two letters would fit almost anything. */
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

/** Every word must fit somewhere; the title counts more than the heading and other words. */
export function scoreEntry({ title, group, words = '' }: Matchable, query: string): number {
  const [mainText, otherText] = [plain(title), plain(`${words} ${group}`)]
  let total = 0
  for (const word of plain(query).split(/\s+/).filter(Boolean)) {
    const inOthers = otherText.includes(word) ? 20 : 0
    const score = Math.max(scoreWord(word, mainText), inOthers)
    if (score === 0) return 0
    total += score
  }
  return total
}

/** Without a query all of them, as they come. */
export function rankEntries<T extends Matchable>(entries: readonly T[], query: string, max: number): T[] {
  if (query.trim() === '') return entries.slice(0, max)
  return entries
    .map((entry, place) => ({ entry, place, score: scoreEntry(entry, query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, max)
    .map(({ entry }) => entry)
}

/** Under its heading, headings in the order of their best row. */
export function groupEntries<T extends { group: string }>(entries: readonly T[]): { group: string; entries: T[] }[] {
  return [...Map.groupBy(entries, ({ group }) => group)].map(([group, members]) => ({ group, entries: members }))
}
