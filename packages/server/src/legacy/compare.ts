const encoder = new TextEncoder()

/** Compares like the database: by code point. */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0
  // The order of code units differs from that of code points only if there are surrogates.
  if (!/[\ud800-\udfff]/.test(a + b)) return a < b ? -1 : 1
  return Buffer.compare(encoder.encode(a), encoder.encode(b))
}
