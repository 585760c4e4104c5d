/** The decoders of compressed pages. Loaded on first use: the tables of the library would take a tenth of a second in every thread. */
import type { Compressors } from 'hyparquet'

let loading: Promise<Compressors> | undefined

export function loadCodecs(): Promise<Compressors> {
  loading ??= load()
  return loading
}

async function load(): Promise<Compressors> {
  const { compressors, decompressZstd } = await import('hyparquet-compressors')
  const bounded: Compressors = {
    ...compressors,
    // Without a length, the library's decoder unpacks as much as there is.
    ZSTD: (input, length) => decompressZstd(input, new Uint8Array(length)),
  }
  // The library's decoder of LZ4 fails on a page without bytes, such as the dictionary of a column without values.
  return Object.fromEntries(
    Object.entries(bounded).map(([codec, decode]) => [
      codec,
      (input: Uint8Array, length: number) => (length === 0 ? new Uint8Array(0) : decode(input, length)),
    ]),
  )
}
