import { describe, expect, test } from 'vitest'
import type { StoredSegment } from '../../storage/text-segments.ts'
import { findMerge } from './merge-rule.ts'

const KB = 1024
const MB = 1024 * KB

const segment = (segment_no: number, byte_count: number, record_count = Math.ceil(byte_count / 200)): StoredSegment => ({
  segment_no,
  first_record_no: 1,
  last_record_no: record_count,
  record_count,
  byte_count,
})
const repeat = (count: number, bytes: number) => Array.from({ length: count }, () => bytes)
/** Returns which of the segments with these sizes are merged: the index of the first one, and their number. */
function choose(sizes: readonly number[]): [number, number] | null {
  const merge = findMerge(sizes.map((size, i) => segment(i, size)))
  return merge && [merge[0]?.segment_no as number, merge.length]
}

describe('the next merge', () => {
  test.each<[string, number[], [number, number] | null]>([
    ['no segments', [], null],
    ['one', [100], null],
    ['seven of a size', repeat(7, 100 * KB), null],
    ['eight of a size', repeat(8, 100 * KB), [0, 8]],
    ['eight behind a large one', [MB, ...repeat(8, 10 * KB)], [1, 8]],
    ['eight before a large one', [...repeat(8, 10 * KB), MB], [0, 8]],
    ['seven beside a large one', [...repeat(4, 10 * KB), MB, ...repeat(3, 10 * KB)], null],
    ['small ones between large ones', [MB, ...repeat(6, KB), MB, MB], [0, 9]],
    ['small ones first, if there are also larger ones', [...repeat(8, 100 * KB), ...repeat(8, KB)], [8, 8]],
    ['thousands of small ones: so many at a time', repeat(5_000, 300), [0, 64]],
    ['large ones that fill a segment', [9 * MB, 8 * MB], [0, 2]],
    ['one that is full is left alone', [16 * MB, ...repeat(7, KB)], null],
    ['eight that would be too large together: some of them', repeat(8, 9 * MB), [0, 3]],
    ['two that would be too large together', [15.9 * MB, ...repeat(2, 16 * MB)], null],
  ])('%s', (_name, sizes, expected) => {
    expect(choose(sizes)).toEqual(expected)
  })

  test('very short texts count by their records', () => {
    expect(findMerge([segment(1, 4 * MB, 130_000), segment(2, MB)])).toHaveLength(2)
    expect(findMerge([segment(1, 4 * MB, 132_000), segment(2, MB)])).toBeNull()
  })

  test('sizes that never fit together do not leave many segments', () => {
    // Each size is surrounded by smaller ones and far from the next of its kind, so that no merge grows much.
    const ruler = Array.from({ length: 2_000 }, (_, i) => 200 * 6 ** Math.log2((i + 1) & -(i + 1)))
    const { segments } = simulate(ruler)
    expect(segments.length).toBeLessThan(60)
  })
})

/** Writes segments one by one. After every `writesPerMerge` writes, merges until there is nothing left to merge. */
function simulate(written: readonly number[], writesPerMerge = 1) {
  let segments: StoredSegment[] = []
  let mergedBytes = 0
  const largest = { small: 0, bytes: 0, inputs: 0 }
  written.forEach((bytes, i) => {
    segments.push(segment(i, bytes))
    if (i % writesPerMerge !== 0 && i < written.length - 1) return
    for (let merge = findMerge(segments); merge !== null; merge = findMerge(segments)) {
      const inputs = merge
      const last = inputs.at(-1) as StoredSegment
      const total = inputs.reduce((sum, { byte_count }) => sum + byte_count, 0)
      mergedBytes += total
      largest.bytes = Math.max(largest.bytes, total)
      largest.inputs = Math.max(largest.inputs, inputs.length)
      segments = segments.flatMap(one => (one === last ? [segment(one.segment_no, total)] : inputs.includes(one) ? [] : [one]))
    }
    largest.small = Math.max(largest.small, segments.filter(({ byte_count }) => byte_count < 16 * MB).length)
  })
  const writtenBytes = written.reduce((sum, bytes) => sum + bytes, 0)
  expect(segments.reduce((sum, { byte_count }) => sum + byte_count, 0)).toBe(writtenBytes)
  return { segments, largest, amplification: mergedBytes / writtenBytes }
}

/** Pseudo-random numbers between 0 and 1, deterministic for a seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('many writes', () => {
  const random = numbers(7)
  const mixed = [...repeat(2_000, 95 * KB), ...repeat(5_000, 300)]
    .map(bytes => ({ bytes, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ bytes }) => bytes)

  test.each<[string, number[], number]>([
    ['2,000 bulks and 5,000 edits of single records, mixed', mixed, 1],
    ['the same, if merging lags behind', mixed, 300],
    ['2,000 bulks', repeat(2_000, 95 * KB), 1],
    ['20,000 edits of single records', repeat(20_000, 300), 100],
    ['texts of any size', Array.from({ length: 4_000 }, () => Math.round(100 * 1.2 ** (random() * 60))), 1],
  ])('%s: few segments stay, and each text is merged a few times', (_name, written, writesPerMerge) => {
    const { segments, largest, amplification } = simulate(written, writesPerMerge)
    expect(segments.filter(({ byte_count }) => byte_count < 16 * MB).length).toBeLessThan(20)
    expect(largest.small).toBeLessThan(35)
    expect(largest.bytes).toBeLessThanOrEqual(32 * MB)
    expect(largest.inputs).toBeLessThanOrEqual(64)
    expect(amplification).toBeLessThan(5)
  })

  test('a million records have few segments', () => {
    expect(simulate(mixed).segments.length).toBeLessThan(30)
  })
})
