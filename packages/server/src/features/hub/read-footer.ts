/** Reads the footer of a Parquet file, with limits of its size, because the library has none. */
import { type AsyncBuffer, type FileMetaData, parquetMetadata } from 'hyparquet'
import { HubRefusal } from './failures.ts'
import { ParquetDamage, toMib } from './parquet-limits.ts'
import { checkThrift } from './parquet-thrift.ts'

const FOOTER_BYTES_MAX = 64 * 1024 * 1024
/** A column of a row group has about 25 values. */
const FOOTER_VALUES_MAX = 2_500_000
/** Read first; most footers are smaller. */
const TAIL_BYTES = 512 * 1024
const SCHEMA_DEPTH_MAX = 64
/** `PAR1` */
const MAGIC = 0x31524150

export async function readMetadata(file: AsyncBuffer, path: string): Promise<FileMetaData> {
  const size = file.byteLength
  let tail = await file.slice(Math.max(0, size - TAIL_BYTES), size)
  const length = guarded(path, () => readLength(tail, size))
  if (length + 8 > tail.byteLength) tail = await file.slice(size - length - 8, size)
  return guarded(path, () => {
    checkThrift({ view: new DataView(tail), offset: tail.byteLength - 8 - length }, FOOTER_VALUES_MAX)
    const metadata = parquetMetadata(tail)
    checkMetadata(metadata)
    return metadata
  })
}

function guarded<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new HubRefusal(`\`${path}\` is not a Parquet file: ${(error as Error).message}`)
  }
}

function readLength(tail: ArrayBuffer, size: number): number {
  if (tail.byteLength < 12) throw new ParquetDamage('it is too short')
  const view = new DataView(tail)
  if (view.getUint32(tail.byteLength - 4, true) !== MAGIC) throw new ParquetDamage('it does not end with `PAR1`')
  const length = view.getUint32(tail.byteLength - 8, true)
  if (length > size - 8) throw new ParquetDamage(`its footer has ${length} bytes, and the file has ${size}`)
  if (length > FOOTER_BYTES_MAX) {
    throw new ParquetDamage(`its footer has ${toMib(length)}; expected at most ${toMib(FOOTER_BYTES_MAX)}`)
  }
  return length
}

function checkMetadata({ schema, num_rows, row_groups }: FileMetaData): void {
  const counts = [num_rows, ...row_groups.map(group => group.num_rows)]
  const wrong = counts.find(count => !(count >= 0n && count <= Number.MAX_SAFE_INTEGER))
  if (wrong !== undefined) throw new ParquetDamage(`it has ${wrong} rows; expected 0 or more`)
  /** For each level of the schema, how many children are missing. */
  const open: number[] = []
  for (const { num_children = 0 } of schema) {
    if (num_children > schema.length)
      throw new ParquetDamage(`its schema has a column with ${num_children} parts, of ${schema.length}`)
    while (open.at(-1) === 0) open.pop()
    if (open.length > 0) open.push((open.pop() ?? 0) - 1)
    if (num_children > 0) open.push(num_children)
    if (open.length > SCHEMA_DEPTH_MAX) {
      throw new ParquetDamage(`its schema is more than ${SCHEMA_DEPTH_MAX} levels deep`)
    }
  }
}
