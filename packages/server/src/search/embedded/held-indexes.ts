import type { Id } from '@postil/domain/schema'
import type { DatasetIndex } from '../index/dataset-index.ts'

/** An index that was not used for this long is dropped, such as that of a deleted dataset. */
const IDLE_MS_MAX = 10 * 60_000
const IDLE_CHECK_MS = 60_000

export interface HeldIndex {
  index: DatasetIndex
  /** The change number that it has reached. */
  changeNo: number
}

/** The indexes that are in memory. */
export class HeldIndexes {
  readonly #bytesMax: number
  /** The one that was used last stands last. */
  readonly #held = new Map<Id, HeldIndex & { usedAtMs: number }>()
  #isCheckDue = false

  /** `bytesMax`: what they may take together. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Takes an index out, to change it. One that is not put back, because a change failed halfway, is lost. */
  take(datasetId: Id): HeldIndex | null {
    const known = this.#held.get(datasetId) ?? null
    this.#held.delete(datasetId)
    return known
  }

  put(datasetId: Id, held: HeldIndex): void {
    this.#held.set(datasetId, { ...held, usedAtMs: Date.now() })
    this.#checkIdleLater()
  }

  /** Drops what was not used for longest, until all fit. The one that answered last keeps what its query needed. */
  trim(): void {
    const [last] = [...this.#held.keys()].slice(-1)
    for (const [id, { index }] of this.#held) {
      const others = this.#bytes - index.bytes
      if (others + index.bytes <= this.#bytesMax) return
      if (id === last) index.evict(Math.max(0, this.#bytesMax - others))
      else this.#held.delete(id)
    }
  }

  get #bytes(): number {
    return [...this.#held.values()].reduce((sum, { index }) => sum + index.bytes, 0)
  }

  /** By a timer: while nobody searches, nothing else gives the memory back. It does not keep the process running. */
  #checkIdleLater(): void {
    if (this.#isCheckDue) return
    this.#isCheckDue = true
    setTimeout(() => this.#dropIdle(), IDLE_CHECK_MS).unref()
  }

  #dropIdle(): void {
    this.#isCheckDue = false
    for (const [id, { usedAtMs }] of this.#held) if (Date.now() - usedAtMs >= IDLE_MS_MAX) this.#held.delete(id)
    if (this.#held.size > 0) this.#checkIdleLater()
  }
}
