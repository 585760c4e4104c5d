/** Encodes each record number as a varint of its signed difference from the previous one. Most record numbers are consecutive. */
import { ByteReader, ByteWriter } from './bytes.ts'

export class RecordNoWriter {
  readonly bytes = new ByteWriter()
  private last = 0

  add(recordNo: number): void {
    const difference = recordNo - this.last
    this.bytes.varint(difference < 0 ? -2 * difference - 1 : 2 * difference)
    this.last = recordNo
  }
}

export function readRecordNos(bytes: Uint8Array, at: number, count: number): Float64Array {
  const reader = new ByteReader(bytes, at)
  const recordNos = new Float64Array(count)
  let last = 0
  for (let i = 0; i < count; i++) {
    const code = reader.varint()
    last += code % 2 === 1 ? -(code + 1) / 2 : code / 2
    recordNos[i] = last
  }
  return recordNos
}
