/**
 * The parts of an Excel file (.xlsx), which is a ZIP archive of XML files, read as streams. Unpacked bytes are counted as
 * protection against zip bombs.
 */
import { Readable } from 'node:stream'
import { SaxesParser } from 'saxes'
import yauzl from 'yauzl'
import { FileGone } from '../../files/read.ts'
import { HubRefusal } from '../../hub/failures.ts'
import { type ByteFile, ROW_BYTES_MAX, refuse } from './table.ts'

/** Limit of parts per archive. */
const PARTS_MAX = 10_000
/** Limit of the names, extra fields and comments of all parts, which are in memory while the file is read. */
const DIRECTORY_BYTES_MAX = 2 * 1024 * 1024
/** Limit of nested XML elements; sheets need about ten. */
const DEPTH_MAX = 100
const CHUNK_BYTES = 256 * 1024

export interface Tag {
  name: string
  attributes: Readonly<Record<string, string>>
}

export interface XmlEvents {
  open(tag: Tag): void
  text(text: string): void
  close(name: string): void
}

export interface ExcelPackage {
  has(name: string): boolean
  /** Parses a part and calls `events`. After each chunk, yields the share of the part read so far, from 0 to 1. */
  parse(name: string, events: XmlEvents, bytesMax: number): AsyncGenerator<number>
}

class FileReader extends yauzl.RandomAccessReader {
  readonly #file: ByteFile

  constructor(file: ByteFile) {
    super()
    this.#file = file
  }

  /** Entries of the directory are read one by one, which needs no stream. */
  override read(buffer: Buffer, offset: number, length: number, position: number, callback: (error: Error | null) => void): void {
    this.#file.read(position, position + length).then(bytes => {
      buffer.set(bytes, offset)
      callback(null)
    }, callback)
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(readRange(this.#file, start, end), { objectMode: false })
  }
}

async function* readRange(file: ByteFile, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += CHUNK_BYTES) yield Buffer.from(await file.read(at, Math.min(end, at + CHUNK_BYTES)))
}

export async function openPackage(file: ByteFile): Promise<ExcelPackage> {
  const parts = new Map<string, yauzl.Entry>()
  let directory = 0
  const zip = await guarded(file, async () => {
    const opened = await yauzl.fromRandomAccessReaderPromise(new FileReader(file), file.size, { autoClose: false })
    for await (const entry of opened.eachEntry()) {
      if (parts.size === PARTS_MAX) throw refuse(`The file has more than ${PARTS_MAX} parts`)
      directory += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
      if (directory > DIRECTORY_BYTES_MAX)
        throw refuse(`The names and comments of the parts of the file take more than ${DIRECTORY_BYTES_MAX / 1024 ** 2} MiB`)
      parts.set(entry.fileName, entry)
    }
    return opened
  })

  async function* parse(name: string, events: XmlEvents, bytesMax: number): AsyncGenerator<number> {
    const entry = parts.get(name)
    if (!entry) throw refuse(`The file is not an Excel file: it has no part \`${name}\``)
    const stream = await guarded(file, () => zip.openReadStreamPromise(entry))
    const chunks = stream.iterator({ destroyOnReturn: false })
    const parser = createParser(events)
    const decoder = new TextDecoder()
    let read = 0
    try {
      for (;;) {
        const { value: chunk, done } = await guarded(file, () => chunks.next() as Promise<IteratorResult<Buffer, undefined>>)
        if (done) break
        read += chunk.length
        if (read > bytesMax)
          throw refuse(`Part \`${name}\` of the file unpacks to more than ${Math.floor(bytesMax / 1024 ** 2)} MiB`)
        await guarded(file, async () => parser.write(decoder.decode(chunk, { stream: true })))
        yield entry.uncompressedSize === 0 ? 1 : Math.min(1, read / entry.uncompressedSize)
      }
    } finally {
      stream.destroy()
    }
    await guarded(file, async () => parser.end())
  }

  return { has: name => parts.has(name), parse }
}

/** Errors of the libraries mean that the file is invalid. */
async function guarded<T>(file: ByteFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HubRefusal || error instanceof FileGone) throw error
    throw refuse(`\`${file.name}\` is not an Excel file (.xlsx), or is damaged: ${(error as Error).message}`)
  }
}

/** The parser does not expand custom entities, so entity expansion attacks have no effect. */
function createParser(events: XmlEvents): { write(text: string): void; end(): void } {
  const parser = new SaxesParser({ position: false })
  /** Characters since the last event, which the parser buffers. */
  let kept = 0
  let depth = 0
  const noting =
    <A extends unknown[]>(handle: (...args: A) => void) =>
    (...args: A) => {
      kept = 0
      handle(...args)
    }
  parser.on(
    'opentag',
    noting(tag => {
      if (++depth > DEPTH_MAX) throw refuse(`The file has XML elements nested more than ${DEPTH_MAX} levels deep`)
      events.open({ name: localName(tag.name), attributes: tag.attributes as Record<string, string> })
    }),
  )
  parser.on(
    'text',
    noting(text => events.text(text)),
  )
  parser.on(
    'cdata',
    noting(text => events.text(text)),
  )
  parser.on(
    'closetag',
    noting(tag => {
      depth--
      events.close(localName(tag.name))
    }),
  )
  return {
    write: text => {
      parser.write(text)
      kept += text.length
      if (kept > ROW_BYTES_MAX) throw refuse(`A value of the file is larger than ${ROW_BYTES_MAX / 1024 ** 2} MiB`)
    },
    end: () => void parser.close(),
  }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)
