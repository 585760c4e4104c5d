/** Limits of Parquet files, and the errors of files that break them. */

/**
 * Limit of the memory that one window of rows takes while it is decoded. The pages of all requested columns that have rows of the
 * window count. The thread has a heap of 1 GiB; when it is full, V8 may end the whole process.
 */
export const DECODED_BYTES_MAX = 512 * 1024 * 1024

export const toMib = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2).toLocaleString('en')} MiB`

/** The bytes are not what they say they are. */
export class ParquetDamage extends Error {
  override readonly name = 'ParquetDamage'
}

/** The pages take more memory than the limit. */
export class ParquetTooLarge extends Error {
  override readonly name = 'ParquetTooLarge'
}

export function checkSize(bytes: number, what: string): void {
  if (bytes > DECODED_BYTES_MAX)
    throw new ParquetTooLarge(`${what} would take ${toMib(bytes)}; expected at most ${toMib(DECODED_BYTES_MAX)}`)
}
