/** Counts phrases of many words in time proportional to the text. Other algorithms are very slow if a text repeats one word. */
import type { Places } from './phrase-count.ts'

/** Counts how often the words occur consecutively, by the Knuth–Morris–Pratt algorithm. */
export function countLong(words: readonly Places[]): number {
  const distinct = new Map(words.map(word => [word.places, word]))
  const total = [...distinct.values()].reduce((sum, { from, to }) => sum + to - from, 0)
  if (total < words.length) return 0
  const numbers = new Map(Array.from(distinct.keys(), (places, i) => [places, i]))
  const phrase = words.map(({ places }) => numbers.get(places) as number)
  return countIn(toText([...distinct.values()]), phrase)
}

/** Returns the number of the word at each position, from the first to the last position of any word; -1 for other words. */
function toText(words: readonly Places[]): Int32Array {
  const start = Math.min(...words.map(({ places, from }) => places[from] ?? 0))
  const end = Math.max(...words.map(({ places, to }) => places[to - 1] ?? 0))
  const text = new Int32Array(end - start + 1).fill(-1)
  words.forEach(({ places, from, to }, number) => {
    for (let i = from; i < to; i++) text[(places[i] as number) - start] = number
  })
  return text
}

function countIn(text: Int32Array, phrase: readonly number[]): number {
  const fallbacks = toFallbacks(phrase)
  let count = 0
  let matched = 0
  for (let i = 0; i < text.length; i++) {
    while (matched > 0 && text[i] !== phrase[matched]) matched = fallbacks[matched] as number
    if (text[i] === phrase[matched]) matched++
    if (matched < phrase.length) continue
    count++
    matched = fallbacks[matched] as number
  }
  return count
}

/**
 * The failure function of the algorithm: by number of matched words, the length of the longest shorter prefix of the phrase that
 * they end with.
 */
function toFallbacks(phrase: readonly number[]): Int32Array {
  const fallbacks = new Int32Array(phrase.length + 1)
  let matched = 0
  for (let i = 1; i < phrase.length; i++) {
    while (matched > 0 && phrase[i] !== phrase[matched]) matched = fallbacks[matched] as number
    if (phrase[i] === phrase[matched]) matched++
    fallbacks[i + 1] = matched
  }
  return fallbacks
}
