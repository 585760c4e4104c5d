import { crc32, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { toZip, type ZipEntry } from './zip.ts'

async function* parts(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

async function collect(entries: ZipEntry[]): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of toZip(entries)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('each file is found by the directory at the end, with its checksum and both sizes', async () => {
  const bytes = await collect([
    { path: 'a/empty', content: parts() },
    { path: 'ü.txt', content: parts('one ', 'two') },
  ])
  const end = bytes.length - 22
  expect([bytes.readUInt32LE(end), bytes.readUInt16LE(end + 10)]).toEqual([0x06054b50, 2])
  let at = bytes.readUInt32LE(end + 16)
  for (const [path, text] of [
    ['a/empty', ''],
    ['ü.txt', 'one two'],
  ] as const) {
    const nameLength = bytes.readUInt16LE(at + 28)
    expect(bytes.toString('utf8', at + 46, at + 46 + nameLength)).toBe(path)
    const [crc, compressed, size, local] = [16, 20, 24, 42].map(offset => bytes.readUInt32LE(at + offset)) as [
      number,
      number,
      number,
      number,
    ]
    expect([crc, size]).toEqual([crc32(text), text.length])
    const start = local + 30 + bytes.readUInt16LE(local + 26)
    expect(inflateRawSync(bytes.subarray(start, start + compressed)).toString()).toBe(text)
    // The sizes follow the content.
    expect(bytes.readUInt32LE(start + compressed + 4)).toBe(crc)
    at += 46 + nameLength
  }
  expect(at).toBe(end)
})

test('a file that fails ends the archive with the failure', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('begun')
    throw new Error('a fault of the test')
  }
  await expect(collect([{ path: 'a', content: failing() }])).rejects.toThrow('a fault of the test')
})

test('a reader who stops early ends the reading of the content', async () => {
  let isEnded = false
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      while (true) yield crypto.getRandomValues(new Uint8Array(65_536))
    } finally {
      isEnded = true
    }
  }
  let count = 0
  for await (const _chunk of toZip([{ path: 'a', content: endless() }])) if (++count > 3) break
  await expect.poll(() => isEnded).toBe(true)
})
