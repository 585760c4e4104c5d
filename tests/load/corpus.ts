/**
 * Corpus of the benchmarks and the tests: the same seed gives the same records. Words are distributed as in a natural language
 * (few are common, most are rare); three marker words occur in exactly 0.1%, 5% and 50% of the records.
 */
export const MARKERS = { rare: 'kestrel', some: 'harbour', half: 'meadow' } as const
export const DIMENSIONS = 128
export const LABELS = ['praise', 'complaint', 'question', 'other'] as const
export const SOURCES = ['web', 'mail', 'phone', 'shop'] as const

const WORDS_PER_RECORD = 80
const VOCABULARY = 20_000

/** Seeded pseudo-random generator for numbers in [0, 1) (mulberry32). */
export function openRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const SYLLABLES = ['ba', 'ne', 'ri', 'to', 'lu', 'sha', 'mer', 'kon', 'vi', 'dal', 'pe', 'gor', 'ti', 'sum', 'fa', 'qui']

function toWord(index: number): string {
  let word = ''
  for (let rest = index + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) word += SYLLABLES[rest % SYLLABLES.length]
  return word
}

const vocabulary = Array.from({ length: VOCABULARY }, (_, index) => toWord(index))

export interface CorpusRecord {
  external_id: string
  fields: { text: string }
  metadata: { source: string; length: number; quality: number }
  suggestions: { question_id: string; value: string; score: number; agent: string }[]
  vectors: { embedding: number[] }
}

/** Returns record `index` of the corpus. */
export function toCorpusRecord(index: number, questionId: string): CorpusRecord {
  const random = openRandom(index + 1)
  const words = Array.from({ length: WORDS_PER_RECORD }, () => vocabulary[Math.floor(random() ** 3 * VOCABULARY)] as string)
  if (index % 1000 === 0) words[3] = MARKERS.rare
  if (index % 20 === 0) words[7] = MARKERS.some
  if (index % 2 === 0) words[11] = MARKERS.half
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T
  return {
    external_id: `record-${index}`,
    fields: { text: words.join(' ') },
    metadata: { source: pick(SOURCES), length: Math.floor(random() * 1000), quality: random() },
    suggestions: [{ question_id: questionId, value: pick(LABELS), score: random(), agent: 'model-a' }],
    vectors: { embedding: toVector(random) },
  }
}

export const toVector = (random: () => number): number[] => Array.from({ length: DIMENSIONS }, () => random() * 2 - 1)
