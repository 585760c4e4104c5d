import { randomFillSync } from 'node:crypto'

/**
 * Creates UUIDs of version 7: they begin with the time and increase within a process, so that new rows go to the end of an index
 * instead of random positions. The last 62 bits are random.
 */
export function createIdGenerator(): () => string {
  const pool = new Uint8Array(8 * 512)
  let used = pool.length
  let lastMs = 0
  let sequence = 0
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const now = Date.now()
    if (now > lastMs) {
      lastMs = now
      sequence = 0
    } else if (++sequence > 0xfff) {
      // After 4,096 ids in one millisecond, the next millisecond is used.
      lastMs++
      sequence = 0
    }
    const random = pool.subarray(used, used + 8)
    used += 8
    return toText(lastMs, sequence, random)
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function toText(ms: number, sequence: number, random: Uint8Array): string {
  const time = ms.toString(16).padStart(12, '0')
  const byte = (index: number) => HEX[random[index] as number] as string
  const variant = HEX[((random[0] as number) & 0x3f) | 0x80] as string
  const version = `7${sequence.toString(16).padStart(3, '0')}`
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}${byte(1)}-${byte(2)}${byte(3)}${byte(4)}${byte(5)}${byte(6)}${byte(7)}`
}
