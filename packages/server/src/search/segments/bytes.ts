/** Reads and writes variable-length integers: seven bits per byte, lowest first. The high bit is set if more bytes follow. */

/** Sufficient for every safe integer. */
const VARINT_BYTES_MAX = 8
const CHUNK_BYTES_MIN = 1024
const CHUNK_BYTES_MAX = 256 * 1024
/** Up to this size a loop is faster than creating a view of the bytes. */
const SHORT_COPY_BYTES_MAX = 32

/** Grows in chunks instead of copying, so that the time of a write does not depend on how much was written before. */
export class ByteWriter {
  private readonly full: Uint8Array[] = []
  private fullBytes = 0
  private chunk = new Uint8Array(CHUNK_BYTES_MIN)
  private at = 0

  get size(): number {
    return this.fullBytes + this.at
  }

  varint(value: number): void {
    // Most values are small: frequencies, gaps and letters.
    if (value < 128 && this.at < this.chunk.length) this.chunk[this.at++] = value
    else this.longVarint(value)
  }

  private longVarint(value: number): void {
    if (this.at + VARINT_BYTES_MAX > this.chunk.length) this.startChunk()
    let rest = value
    for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) this.chunk[this.at++] = (rest % 128) | 128
    for (; rest > 127; rest >>>= 7) this.chunk[this.at++] = (rest & 127) | 128
    this.chunk[this.at++] = rest
  }

  /** Writes four bytes in little-endian order. */
  uint32(value: number): void {
    if (this.at + 4 > this.chunk.length) this.startChunk()
    for (let shift = 0; shift < 32; shift += 8) this.chunk[this.at++] = value >>> shift
  }

  copy(bytes: Uint8Array, start: number, end: number): void {
    for (let from = start; from < end; ) {
      if (this.at === this.chunk.length) this.startChunk()
      const to = Math.min(end, from + this.chunk.length - this.at)
      if (to - from <= SHORT_COPY_BYTES_MAX) for (let i = from; i < to; i++) this.chunk[this.at++] = bytes[i] as number
      else {
        this.chunk.set(bytes.subarray(from, to), this.at)
        this.at += to - from
      }
      from = to
    }
  }

  /** Returns everything written so far, in order. */
  chunks(): Uint8Array[] {
    return [...this.full, this.chunk.subarray(0, this.at)]
  }

  private startChunk(): void {
    this.full.push(this.chunk.subarray(0, this.at))
    this.fullBytes += this.at
    this.chunk = new Uint8Array(Math.min(CHUNK_BYTES_MAX, this.chunk.length * 2))
    this.at = 0
  }
}

/** Reads consecutive integers. */
export class ByteReader {
  private readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes
    this.at = at
  }

  varint(): number {
    let byte = this.bytes[this.at++] as number
    let value = byte & 127
    for (let factor = 128; byte > 127; factor *= 128) {
      byte = this.bytes[this.at++] as number
      value += (byte & 127) * factor
    }
    return value
  }
}
