/**
 * Assigns numbers to the distinct terms of a field and sorts them. A Map and Array.sort would take most of the time needed to
 * build a segment. Here, terms are compared unit by unit in one typed array.
 */

const FNV_PRIME = 0x01000193
const FNV_START = 0x811c9dc5
/** Ranges up to this length are sorted by insertion sort. */
const SHORT_RANGE = 8

function hashOf(term: string): number {
  let hash = FNV_START
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), FNV_PRIME)
  // Mixes in high bits, because the low bits of the product depend only on the low bits of the units.
  return (hash ^ (hash >>> 15)) >>> 0
}

export class TermTable {
  size = 0
  /** The UTF-16 code units of all terms. Those of term `i` begin at `starts[i]` and end at `starts[i + 1]`. */
  units = new Uint16Array(4096)
  starts = new Uint32Array(1025)
  private hashes = new Uint32Array(1024)
  /** Hash table with open addressing: 0 for a free slot, or a term's number plus 1. At most half of the slots are in use. */
  private slots = new Uint32Array(2048)

  /** Returns the number of a term. Adds the term if it is new. */
  add(term: string): number {
    const hash = hashOf(term)
    const slot = this.slotOf(term, hash)
    const number = (this.slots[slot] as number) - 1
    return number < 0 ? this.insert(term, hash, slot) : number
  }

  /** Returns the number of a term, or -1 if it is not in the table. */
  find(term: string): number {
    return (this.slots[this.slotOf(term, hashOf(term))] as number) - 1
  }

  /** Returns the slot of the term, or the free slot where it would be inserted. */
  private slotOf(term: string, hash: number): number {
    const mask = this.slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (this.slots[slot] as number) - 1
      if (number < 0 || (this.hashes[number] === hash && this.equals(number, term))) return slot
    }
  }

  /** Returns the numbers of all terms, sorted by their units. */
  sorted(): Uint32Array {
    const numbers = Uint32Array.from({ length: this.size }, (_, i) => i)
    // Ranges of terms whose first `depth` units are equal. Uses an explicit stack, because malicious terms would cause very deep
    // recursion.
    const ranges = [[0, this.size, 0]]
    for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
      const [from, to, depth] = range as [number, number, number]
      if (to - from <= SHORT_RANGE) this.insertionSort(numbers, from, to, depth)
      else ranges.push(...this.partition(numbers, from, to, depth))
    }
    return numbers
  }

  /**
   * Three-way partition by the unit at `depth`: smaller units first, larger ones last. Returns the ranges that remain to be
   * sorted.
   */
  private partition(numbers: Uint32Array, from: number, to: number, depth: number): number[][] {
    const pivot = this.unitAt(numbers[(from + to) >>> 1] as number, depth)
    let [smaller, larger] = [from, to]
    for (let i = from; i < larger; ) {
      const number = numbers[i] as number
      const unit = this.unitAt(number, depth)
      if (unit === pivot) i++
      else if (unit < pivot) {
        numbers[i++] = numbers[smaller] as number
        numbers[smaller++] = number
      } else {
        numbers[i] = numbers[--larger] as number
        numbers[larger] = number
      }
    }
    const ranges = [
      [from, smaller, depth],
      [larger, to, depth],
    ]
    // Terms are distinct, so at most one ends here, and no sorting is needed in this case.
    if (pivot >= 0) ranges.push([smaller, larger, depth + 1])
    return ranges
  }

  private insertionSort(numbers: Uint32Array, from: number, to: number, depth: number): void {
    for (let i = from + 1; i < to; i++) {
      const number = numbers[i] as number
      let at = i
      for (; at > from && this.compare(numbers[at - 1] as number, number, depth) > 0; at--)
        numbers[at] = numbers[at - 1] as number
      numbers[at] = number
    }
  }

  private compare(left: number, right: number, depth: number): number {
    for (let i = depth; ; i++) {
      const unit = this.unitAt(left, i)
      const difference = unit - this.unitAt(right, i)
      if (difference !== 0 || unit < 0) return difference
    }
  }

  /** Returns -1 beyond the end of a term. */
  private unitAt(number: number, depth: number): number {
    const at = (this.starts[number] as number) + depth
    return at < (this.starts[number + 1] as number) ? (this.units[at] as number) : -1
  }

  private equals(number: number, term: string): boolean {
    const start = this.starts[number] as number
    if ((this.starts[number + 1] as number) - start !== term.length) return false
    for (let i = 0; i < term.length; i++) if (this.units[start + i] !== term.charCodeAt(i)) return false
    return true
  }

  private insert(term: string, hash: number, slot: number): number {
    const number = this.size++
    const start = this.starts[number] as number
    if (start + term.length > this.units.length) this.units = doubleCapacity(this.units, Uint16Array)
    for (let i = 0; i < term.length; i++) this.units[start + i] = term.charCodeAt(i)
    this.starts[number + 1] = start + term.length
    this.hashes[number] = hash
    this.slots[slot] = this.size
    if (this.size === this.hashes.length) this.growSlots()
    return number
  }

  private growSlots(): void {
    this.hashes = doubleCapacity(this.hashes, Uint32Array)
    this.starts = doubleCapacity(this.starts, Uint32Array)
    this.slots = new Uint32Array(this.slots.length * 2)
    const mask = this.slots.length - 1
    for (let number = 0; number < this.size; number++) {
      let slot = (this.hashes[number] as number) & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = number + 1
    }
  }
}

/** Returns a copy with twice the capacity. */
export function doubleCapacity<Numbers extends Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
  numbers: Numbers,
  kind: new (length: number) => Numbers,
): Numbers {
  const larger = new kind(numbers.length * 2)
  larger.set(numbers)
  return larger
}
