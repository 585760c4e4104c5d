/**
 * Writes a zip archive as a stream, so that neither the archive nor any of its files is held in memory as a whole. The sizes of a
 * file are known only after its content, so they follow it as data descriptors. Archives and files of 4 GiB and more use zip64.
 */
import { Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'

export interface ZipEntry {
  path: string
  content: AsyncIterable<Uint8Array>
}

interface WrittenEntry {
  path: Buffer
  crc: number
  compressed: number
  size: number
  offset: number
}

const LONG = 0xffffffff
const COUNT_LONG = 0xffff
/** Flags: sizes follow the content, and the name is UTF-8. */
const FLAGS = 0x0808
const DEFLATE = 8
/** 1980-01-01, the earliest date possible. A fixed date makes archives of the same content identical. */
const [TIME, DATE] = [0, 0x21]
const VERSION = 45

export async function* toZip(entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const written: WrittenEntry[] = []
  let offset = 0
  for await (const { path, content } of entries) {
    const entry: WrittenEntry = { path: Buffer.from(path), crc: 0, compressed: 0, size: 0, offset }
    const head = localHeader(entry)
    yield head
    for await (const chunk of deflate(content, entry)) yield chunk
    const tail = descriptor(entry)
    yield tail
    offset += head.length + entry.compressed + tail.length
    written.push(entry)
  }
  const directory = Buffer.concat(written.map(centralHeader))
  yield directory
  yield endOf(written.length, directory.length, offset)
}

/** Compresses the content and adds its sizes and checksum to `entry`. */
async function* deflate(content: AsyncIterable<Uint8Array>, entry: WrittenEntry): AsyncGenerator<Uint8Array> {
  async function* counted() {
    for await (const chunk of content) {
      entry.crc = crc32(chunk, entry.crc)
      entry.size += chunk.length
      yield chunk
    }
  }
  const source = Readable.from(counted(), { objectMode: false })
  const deflated = createDeflateRaw({ level: 3 })
  source.on('error', error => deflated.destroy(error))
  try {
    for await (const chunk of source.pipe(deflated)) {
      entry.compressed += (chunk as Uint8Array).length
      yield chunk as Uint8Array
    }
  } finally {
    source.destroy()
  }
}

function localHeader({ path }: WrittenEntry): Buffer {
  const bytes = Buffer.alloc(30)
  bytes.writeUInt32LE(0x04034b50, 0)
  bytes.writeUInt16LE(VERSION, 4)
  bytes.writeUInt16LE(FLAGS, 6)
  bytes.writeUInt16LE(DEFLATE, 8)
  bytes.writeUInt16LE(TIME, 10)
  bytes.writeUInt16LE(DATE, 12)
  bytes.writeUInt16LE(path.length, 26)
  return Buffer.concat([bytes, path])
}

/** Readers use the central directory at the end, which says whether these numbers have 64 bits. */
function descriptor({ crc, compressed, size }: WrittenEntry): Buffer {
  const isLong = compressed >= LONG || size >= LONG
  const bytes = Buffer.alloc(isLong ? 24 : 16)
  bytes.writeUInt32LE(0x08074b50, 0)
  bytes.writeUInt32LE(crc, 4)
  if (isLong) {
    bytes.writeBigUInt64LE(BigInt(compressed), 8)
    bytes.writeBigUInt64LE(BigInt(size), 16)
  } else {
    bytes.writeUInt32LE(compressed, 8)
    bytes.writeUInt32LE(size, 12)
  }
  return bytes
}

function centralHeader({ path, crc, compressed, size, offset }: WrittenEntry): Buffer {
  const numbers = [size, compressed, offset]
  const extra = numbers.some(number => number >= LONG) ? Buffer.alloc(28) : Buffer.alloc(0)
  if (extra.length > 0) {
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(24, 2)
    for (const [index, number] of numbers.entries()) extra.writeBigUInt64LE(BigInt(number), 4 + 8 * index)
  }
  const short = (number: number) => (extra.length > 0 ? LONG : number)
  const bytes = Buffer.alloc(46)
  bytes.writeUInt32LE(0x02014b50, 0)
  bytes.writeUInt16LE(VERSION, 4)
  bytes.writeUInt16LE(VERSION, 6)
  bytes.writeUInt16LE(FLAGS, 8)
  bytes.writeUInt16LE(DEFLATE, 10)
  bytes.writeUInt16LE(TIME, 12)
  bytes.writeUInt16LE(DATE, 14)
  bytes.writeUInt32LE(crc, 16)
  bytes.writeUInt32LE(short(compressed), 20)
  bytes.writeUInt32LE(short(size), 24)
  bytes.writeUInt16LE(path.length, 28)
  bytes.writeUInt16LE(extra.length, 30)
  bytes.writeUInt32LE(short(offset), 42)
  return Buffer.concat([bytes, path, extra])
}

function endOf(count: number, size: number, offset: number): Buffer {
  const isLong = count >= COUNT_LONG || size >= LONG || offset >= LONG
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, COUNT_LONG), 8)
  end.writeUInt16LE(Math.min(count, COUNT_LONG), 10)
  end.writeUInt32LE(Math.min(size, LONG), 12)
  end.writeUInt32LE(Math.min(offset, LONG), 16)
  return isLong ? Buffer.concat([longEndOf(count, size, offset), end]) : end
}

function longEndOf(count: number, size: number, offset: number): Buffer {
  const bytes = Buffer.alloc(56 + 20)
  bytes.writeUInt32LE(0x06064b50, 0)
  bytes.writeBigUInt64LE(44n, 4)
  bytes.writeUInt16LE(VERSION, 12)
  bytes.writeUInt16LE(VERSION, 14)
  bytes.writeBigUInt64LE(BigInt(count), 24)
  bytes.writeBigUInt64LE(BigInt(count), 32)
  bytes.writeBigUInt64LE(BigInt(size), 40)
  bytes.writeBigUInt64LE(BigInt(offset), 48)
  // Offset of the zip64 end record above.
  bytes.writeUInt32LE(0x07064b50, 56)
  bytes.writeBigUInt64LE(BigInt(offset + size), 64)
  bytes.writeUInt32LE(1, 72)
  return bytes
}
