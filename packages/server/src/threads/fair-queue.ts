/** A queue in which persons take turns: each `take` serves the person who has waited longest for a turn. */
export interface FairQueue<T> {
  readonly size: number
  sizeOf(person: string): number
  push(person: string, item: T): void
  take(): T | undefined
  /** Takes out all items of a person that `isWanted` names. */
  remove(person: string, isWanted: (item: T) => boolean): T[]
}

export function openFairQueue<T>(): FairQueue<T> {
  /** Items by person. The order of the map is the order of turns: whoever is served goes to its end. */
  const waiting = new Map<string, T[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    sizeOf: person => waiting.get(person)?.length ?? 0,
    push: (person, item) => {
      const items = waiting.get(person)
      if (items) items.push(item)
      else waiting.set(person, [item])
      size++
    },
    take: () => {
      const [next] = waiting
      if (next === undefined) return undefined
      const [person, items] = next
      const item = items.shift()
      waiting.delete(person)
      if (items.length > 0) waiting.set(person, items)
      size--
      return item
    },
    remove: (person, isWanted) => {
      const items = waiting.get(person) ?? []
      const removed = items.filter(isWanted)
      const kept = items.filter(item => !removed.includes(item))
      if (kept.length > 0) waiting.set(person, kept)
      else waiting.delete(person)
      size -= removed.length
      return removed
    },
  }
}
