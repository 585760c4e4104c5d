/** Checks structures in the compact protocol of Thrift before the library reads them, because it believes every count in them. */
import type { DataReader } from 'hyparquet'
import { ParquetDamage } from './parquet-limits.ts'

/** A number of 64 bits. The library reads longer ones too, in quadratic time. */
const VARINT_BYTES_MAX = 10
const DEPTH_MAX = 32

/** Skips a varint. */
export function skipVarint({ view }: DataReader, offset: number): number {
  for (let length = 1; length <= VARINT_BYTES_MAX; length++) if (view.getUint8(offset + length - 1) < 0x80) return offset + length
  throw new ParquetDamage(`a number has more than ${VARINT_BYTES_MAX} bytes`)
}

/** Checks the structure at the reader's offset, without moving it. A structure has at most `valuesMax` values. */
export function checkThrift(reader: DataReader, valuesMax: number): void {
  let left = valuesMax
  let at = reader.offset
  const { view } = reader

  function readLength(): number {
    const start = at
    at = skipVarint(reader, at)
    let length = 0
    for (let index = at - 1; index >= start; index--) length = length * 128 + (view.getUint8(index) & 0x7f)
    return length
  }

  function skipBytes(): void {
    const length = readLength()
    if (length > view.byteLength - at) throw new ParquetDamage(`a text of ${length} bytes is longer than the bytes that follow`)
    at += length
  }

  function skipList(depth: number): void {
    const head = view.getUint8(at++)
    const size = head >> 4 === 15 ? readLength() : head >> 4
    // An item has at least one byte.
    if (size > view.byteLength - at) throw new ParquetDamage(`a list of ${size} values is longer than the bytes that follow`)
    // The library reads booleans in lists as bytes.
    const type = head & 0x0f
    for (let index = 0; index < size; index++) skipValue(type === 1 || type === 2 ? 3 : type, depth)
  }

  function skipValue(type: number, depth: number): void {
    if (--left < 0) throw new ParquetDamage(`its metadata has more than ${valuesMax} values`)
    if (depth > DEPTH_MAX) throw new ParquetDamage(`its metadata is more than ${DEPTH_MAX} levels deep`)
    if (type === 3) at += 1
    else if (type >= 4 && type <= 6) at = skipVarint(reader, at)
    else if (type === 7) at += 8
    else if (type === 8) skipBytes()
    else if (type === 9) skipList(depth + 1)
    else if (type === 12) skipStruct(depth + 1)
  }

  function skipStruct(depth: number): void {
    for (;;) {
      const head = view.getUint8(at++)
      if ((head & 0x0f) === 0) return
      if (head >> 4 === 0) at = skipVarint(reader, at)
      skipValue(head & 0x0f, depth)
    }
  }

  skipStruct(0)
}
