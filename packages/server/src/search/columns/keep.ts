/** Loops over a column that keep only those bits of a bitmap whose values match. Zero words of the bitmap are skipped. */
import type { Filter, Range } from '@postil/domain/search/query'
import { Bitmap, countBits } from '../bitmap.ts'
import type { ByteColumn } from './byte-column.ts'
import { findIdNumber, ID_PARTS, IDS, type IdColumn, partOf } from './id-column.ts'
import { KeywordColumn, SEVERAL } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'
import { type ClosedRange, joinRanges } from './ranges.ts'
import type { Column } from './record-columns.ts'
import { firstAfter, firstNotBefore } from './text-bound.ts'

/** Up to this number of set bits in a word, bits are checked one by one. Beyond it, checking all 32 in a loop is faster. */
const FEW_BITS = 9

type TextFilter = Extract<Filter, { kind: 'values' | 'text_ranges' }>

/** Returns the ordinals that have at least one value. */
export function presentIn(column: Column): Bitmap {
  const found = new Bitmap()
  if (column instanceof KeywordColumn) {
    const { codes } = column
    found.reserve(codes.length)
    for (let i = 0; i < codes.length; i++) if (codes[i] !== 0) found.set(i)
  } else if (column instanceof NumberColumn) {
    const { values } = column
    found.reserve(values.length)
    for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) found.set(i)
  } else {
    throw new Error('Only columns of values can be asked whether there is one')
  }
  return found
}

/** Clears the bits beyond the end of a column, which have no value, and returns the number of remaining words. */
function keepCovered(words: Uint32Array, { length }: Uint8Array | Uint32Array | Float64Array): number {
  // The length is a multiple of 32 because columns grow in such steps.
  const end = Math.min(words.length, length / 32)
  words.fill(0, end)
  return end
}

export function keepWords(bits: Bitmap, column: KeywordColumn, filter: TextFilter): void {
  const mask = toCodeMask(column, filter)
  const end = keepCovered(bits.words, column.codes)
  if (column.lists.isEmpty) keepSingleWords(bits.words, end, column.codes, mask)
  else keepListedWords(bits.words, end, column, mask)
}

function keepSingleWords(words: Uint32Array, end: number, codes: Uint32Array, mask: Uint8Array): void {
  for (let i = 0; i < end; i++) {
    const word = (words[i] as number) | 0
    if (word === 0) continue
    let kept = 0
    if (countBits(word) <= FEW_BITS) {
      for (let rest = word; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest)
        kept |= (mask[codes[i * 32 + bit] as number] as number) << bit
      }
      words[i] = kept
    } else {
      for (let bit = 0; bit < 32; bit++) kept |= (mask[codes[i * 32 + bit] as number] as number) << bit
      words[i] = word & kept
    }
  }
}

function keepListedWords(words: Uint32Array, end: number, { codes, lists: { data } }: KeywordColumn, mask: Uint8Array): void {
  for (let i = 0; i < end; i++) {
    if (words[i] === 0) continue
    let kept = 0
    for (let bit = 0; bit < 32; bit++) {
      const code = codes[i * 32 + bit] as number
      kept |= (code < SEVERAL ? (mask[code] as number) : anyInMask(data, code - SEVERAL, mask)) << bit
    }
    words[i] = (words[i] as number) & kept
  }
}

function anyInMask(lists: Uint32Array, position: number, mask: Uint8Array): 0 | 1 {
  const end = position + (lists[position] as number)
  for (let i = position + 1; i <= end; i++) if (mask[lists[i] as number] === 1) return 1
  return 0
}

/** Returns an array indexed by code: 1 if the filter matches the word. */
function toCodeMask({ dictionary }: KeywordColumn, filter: TextFilter): Uint8Array {
  const mask = new Uint8Array(dictionary.size + 1)
  if (filter.kind === 'values') {
    for (const value of filter.values) mask[dictionary.find(value)] = 1
  } else {
    const sorted = dictionary.sorted()
    for (const { from, to } of filter.ranges) {
      const first = from === null ? 0 : dictionary.countBefore(from, false)
      const end = to === null ? sorted.length : dictionary.countBefore(to, true)
      for (let i = first; i < end; i++) mask[sorted[i] as number] = 1
    }
  }
  // Code 0 stands for a missing value. `find` also returns it for an unknown word.
  mask[0] = 0
  return mask
}

export function keepBytes(bits: Bitmap, column: ByteColumn, matching: readonly number[]): void {
  const mask = new Uint8Array(256)
  for (const value of matching) mask[value] = 1
  const { words } = bits
  const { values } = column
  const end = keepCovered(words, values)
  for (let i = 0; i < end; i++) {
    if (words[i] === 0) continue
    let kept = 0
    for (let bit = 0; bit < 32; bit++) kept |= (mask[values[i * 32 + bit] as number] as number) << bit
    words[i] = (words[i] as number) & kept
  }
}

export function keepNumbers(bits: Bitmap, column: NumberColumn, ranges: readonly Range<number>[]): void {
  const joined = joinRanges(ranges.map(toClosed))
  const end = keepCovered(bits.words, column.values)
  const [first] = joined
  if (first !== undefined && joined.length === 1 && column.lists.isEmpty) keepWithin(bits.words, end, column.values, first)
  else keepWithinAny(bits.words, end, column, Float64Array.from(joined.flatMap(({ from, to }) => [from, to])))
}

function keepWithin(words: Uint32Array, end: number, values: Float64Array, { from, to }: ClosedRange<number>): void {
  for (let i = 0; i < end; i++) {
    if (words[i] === 0) continue
    let kept = 0
    for (let bit = 0; bit < 32; bit++) {
      const value = values[i * 32 + bit] as number
      // Branch-free, because the branch would often be mispredicted.
      kept |= (Number(value >= from) & Number(value <= to)) << bit
    }
    words[i] = (words[i] as number) & kept
  }
}

function keepWithinAny(words: Uint32Array, end: number, { values, several, lists }: NumberColumn, bounds: Float64Array): void {
  for (let i = 0; i < end; i++) {
    if (words[i] === 0) continue
    let kept = 0
    for (let bit = 0; bit < 32; bit++) {
      const value = values[i * 32 + bit] as number
      const isKept = several.has(i * 32 + bit) ? anyWithin(lists.data, value, bounds) : isWithin(value, bounds)
      kept |= Number(isKept) << bit
    }
    words[i] = (words[i] as number) & kept
  }
}

function toClosed({ from, to }: Range<number>): ClosedRange<number> {
  return { from: from ?? Number.NEGATIVE_INFINITY, to: to ?? Number.POSITIVE_INFINITY }
}

/** True if the number is within one of the ranges, which are pairs of bounds in ascending order. False for NaN. */
function isWithin(value: number, bounds: Float64Array): boolean {
  if (bounds.length === 2) return value >= (bounds[0] as number) && value <= (bounds[1] as number)
  let low = 0
  let high = bounds.length >>> 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((bounds[middle * 2] as number) <= value) low = middle + 1
    else high = middle
  }
  return low > 0 && value <= (bounds[low * 2 - 1] as number)
}

function anyWithin(lists: Float64Array, position: number, bounds: Float64Array): boolean {
  const end = position + (lists[position] as number)
  for (let i = position + 1; i <= end; i++) if (isWithin(lists[i] as number, bounds)) return true
  return false
}

/** Filters ids by ranges like numbers, but compares them part by part. */
export function keepIds(bits: Bitmap, column: IdColumn, filter: TextFilter): void {
  const ranges = joinRanges(filter.kind === 'values' ? filter.values.flatMap(toIdRange) : filter.ranges.map(toIdBounds))
  const froms = toParts(ranges.map(({ from }) => from))
  const tos = toParts(ranges.map(({ to }) => to))
  const [lowest, highest] = [froms[0] ?? 0, tos.at(-ID_PARTS) ?? -1]
  const kept = new Bitmap(bits.words.length * 32)
  const ordinals = bits.ordinals()
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i] as number
    // The first part already excludes nearly all ids.
    const first = column.part(ordinal, 0)
    if (first >= lowest && first <= highest && isIdWithin(column, ordinal, froms, tos)) kept.set(ordinal)
  }
  bits.and(kept)
}

/** Searches the ascending ranges by binary search. */
function isIdWithin(column: IdColumn, ordinal: number, froms: Float64Array, tos: Float64Array): boolean {
  let low = 0
  let high = froms.length / ID_PARTS
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareId(column, ordinal, froms, middle) >= 0) low = middle + 1
    else high = middle
  }
  return low > 0 && compareId(column, ordinal, tos, low - 1) <= 0
}

function toIdRange(text: string): ClosedRange<bigint>[] {
  const number = findIdNumber(text)
  return number === null ? [] : [{ from: number, to: number }]
}

function toIdBounds({ from, to }: Range<string>): ClosedRange<bigint> {
  return { from: from === null ? 0n : firstNotBefore(from, IDS), to: to === null ? IDS.last : firstAfter(to, IDS) - 1n }
}

function toParts(numbers: readonly bigint[]): Float64Array {
  return Float64Array.from(numbers.flatMap(number => Array.from({ length: ID_PARTS }, (_, part) => partOf(number, part))))
}

function compareId(column: IdColumn, ordinal: number, parts: Float64Array, row: number): number {
  for (let part = 0; part < ID_PARTS; part++) {
    const difference = column.part(ordinal, part) - (parts[row * ID_PARTS + part] as number)
    if (difference !== 0) return difference
  }
  return 0
}
