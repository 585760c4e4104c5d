/** Reads text files as bytes, in an encoding in which separators, quotes and line ends are single bytes. */
import type { Encoding } from '@postil/domain/imports'
import type { ByteFile } from './table.ts'

const CHUNK_BYTES = 1024 * 1024

/** Streams the bytes from `offset` on. UTF-16 is converted to UTF-8, and offsets refer to the converted bytes. */
export async function* readChunks(file: ByteFile, encoding: Encoding, offset: number): AsyncGenerator<Uint8Array> {
  if (encoding === 'utf-16le' || encoding === 'utf-16be') yield* skipBytes(toUtf8(file, encoding), offset)
  else yield* readRaw(file, offset)
}

async function* readRaw(file: ByteFile, offset: number): AsyncGenerator<Uint8Array> {
  for (let at = offset; at < file.size; at += CHUNK_BYTES) yield file.read(at, Math.min(file.size, at + CHUNK_BYTES))
}

async function* toUtf8(file: ByteFile, encoding: Encoding): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of readRaw(file, 0)) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

async function* skipBytes(chunks: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}

/** A part of the file in memory, which grows at its end. */
export interface Window {
  /** Bytes from the first unconsumed one on. */
  bytes: Buffer
  /** Position of `bytes` in the file. */
  offset: number
  isEnd: boolean
  /** Reads the next chunk. */
  more(): Promise<void>
  use(count: number): void
}

export function createWindow(chunks: AsyncGenerator<Uint8Array>, offset: number): Window {
  const window: Window = {
    bytes: Buffer.alloc(0),
    offset,
    isEnd: false,
    more: async () => {
      const { value, done } = await chunks.next()
      if (done) window.isEnd = true
      else window.bytes = window.bytes.length === 0 ? Buffer.from(value) : Buffer.concat([window.bytes, value])
    },
    use: count => {
      window.bytes = window.bytes.subarray(count)
      window.offset += count
    },
  }
  return window
}

/** Returns a function that decodes bytes, or returns null if they are invalid in this encoding. */
export function createDecoder(encoding: Encoding): (bytes: Uint8Array) => string | null {
  const isUtf8 = encoding === 'utf-8' || encoding === 'utf-16le' || encoding === 'utf-16be'
  const decoder = new TextDecoder(isUtf8 ? 'utf-8' : encoding, { fatal: true, ignoreBOM: true })
  return bytes => {
    try {
      return decoder.decode(bytes)
    } catch (error) {
      if (error instanceof TypeError) return null
      throw error
    }
  }
}

/** Excerpt for messages; invalid characters are replaced. */
export const toShown = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, 800)).toString('utf8').replaceAll('\0', '\ufffd')

/** Skips to the start of the next line and discards the bytes before it. */
export async function skipLine(window: Window): Promise<void> {
  for (;;) {
    const at = window.bytes.indexOf(0x0a)
    if (at !== -1) return window.use(at + 1)
    window.use(window.bytes.length)
    if (window.isEnd) return
    await window.more()
  }
}
