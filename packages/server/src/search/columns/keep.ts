/** Loops over a column that keep, of a bitmap, the bits whose values match. Words of the bitmap without bits are skipped. */
import type { Filter, Range } from '@postil/domain/search/query'
import { Bitmap, countBits } from '../bitmap.ts'
import type { ByteColumn } from './byte-column.ts'
import { findIdNumber, ID_PARTS, IDS, type IdColumn, partOf } from './id-column.ts'
import { KeywordColumn, SEVERAL } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'
import { type ClosedRange, joinRanges } from './ranges.ts'
import type { Column } from './record-columns.ts'
import { firstAfter, firstNotBefore } from './text-bound.ts'

/** Up to this number, bits of a word are looked at one by one; all 32 together take less than more of them. */
const FEW_BITS = 9

type TextFilter = Extract<Filter, { kind: 'values' | 'text_ranges' }>

/** The ordinals that have at least one value. */
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

/** Clears the bits behind the end of a column, which have no value, and returns how many words are left to look at. */
function keepCovered(words: Uint32Array, { length }: Uint8Array | Uint32Array | Float64Array): number {
  // Columns grow by a multiple of 32.
  const end = Math.min(words.length, length / 32)
  words.fill(0, end)
  return end
}

export function keepWords(bits: Bitmap, column: KeywordColumn, filter: TextFilter): void {
  const wanted = toWanted(column, filter)
  const end = keepCovered(bits.words, column.codes)
  if (column.lists.isEmpty) keepSingleWords(bits.words, end, column.codes, wanted)
  else keepListedWords(bits.words, end, column, wanted)
}

function keepSingleWords(words: Uint32Array, end: number, codes: Uint32Array, wanted: Uint8Array): void {
  for (let i = 0; i < end; i++) {
    const word = (words[i] as number) | 0
    if (word === 0) continue
    let kept = 0
    if (countBits(word) <= FEW_BITS) {
      for (let rest = word; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest)
        kept |= (wanted[codes[i * 32 + bit] as number] as number) << bit
      }
      words[i] = kept
    } else {
      for (let bit = 0; bit < 32; bit++) kept |= (wanted[codes[i * 32 + bit] as number] as number) << bit
      words[i] = word & kept
    }
  }
}

function keepListedWords(words: Uint32Array, end: number, { codes, lists: { data } }: KeywordColumn, wanted: Uint8Array): void {
  for (let i = 0; i < end; i++) {
    if (words[i] === 0) continue
    let kept = 0
    for (let bit = 0; bit < 32; bit++) {
      const code = codes[i * 32 + bit] as number
      kept |= (code < SEVERAL ? (wanted[code] as number) : anyWanted(data, code - SEVERAL, wanted)) << bit
    }
    words[i] = (words[i] as number) & kept
  }
}

function anyWanted(lists: Uint32Array, position: number, wanted: Uint8Array): 0 | 1 {
  const end = position + (lists[position] as number)
  for (let i = position + 1; i <= end; i++) if (wanted[lists[i] as number] === 1) return 1
  return 0
}

/** By code: 1 if the word is one that the filter asks for. */
function toWanted({ dictionary }: KeywordColumn, filter: TextFilter): Uint8Array {
  const wanted = new Uint8Array(dictionary.size + 1)
  if (filter.kind === 'values') {
    for (const value of filter.values) wanted[dictionary.find(value)] = 1
  } else {
    const sorted = dictionary.sorted()
    for (const { from, to } of filter.ranges) {
      const first = from === null ? 0 : dictionary.countBefore(from, false)
      const end = to === null ? sorted.length : dictionary.countBefore(to, true)
      for (let i = first; i < end; i++) wanted[sorted[i] as number] = 1
    }
  }
  // Code 0 stands for a missing value, which is also what an unknown word is looked up as.
  wanted[0] = 0
  return wanted
}

export function keepBytes(bits: Bitmap, column: ByteColumn, wanted: readonly number[]): void {
  const isWanted = new Uint8Array(256)
  for (const value of wanted) isWanted[value] = 1
  const { words } = bits
  const { values } = column
  const end = keepCovered(words, values)
  for (let i = 0; i < end; i++) {
    if (words[i] === 0) continue
    let kept = 0
    for (let bit = 0; bit < 32; bit++) kept |= (isWanted[values[i * 32 + bit] as number] as number) << bit
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
      // Without a branch, which would often be predicted wrongly.
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

/** Whether a number is within one of the ranges, given as pairs of bounds in ascending order. NaN is in none. */
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

/** Ids lie within ranges like numbers, but are compared part by part. */
export function keepIds(bits: Bitmap, column: IdColumn, filter: TextFilter): void {
  const ranges = joinRanges(filter.kind === 'values' ? filter.values.flatMap(toIdRange) : filter.ranges.map(toIdBounds))
  const froms = toParts(ranges.map(({ from }) => from))
  const tos = toParts(ranges.map(({ to }) => to))
  const [lowest, highest] = [froms[0] ?? 0, tos.at(-ID_PARTS) ?? -1]
  const kept = new Bitmap(bits.words.length * 32)
  const ordinals = bits.ordinals()
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i] as number
    // Nearly all ids are outside by their first part.
    const first = column.part(ordinal, 0)
    if (first >= lowest && first <= highest && isIdWithin(column, ordinal, froms, tos)) kept.set(ordinal)
  }
  bits.and(kept)
}

/** By binary search among ranges in ascending order. */
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
