/** Fair queue: users take turns, and each `take` serves the user who has waited longest. */
export interface FairQueue<T> {
  readonly size: number
  sizeOf(person: string): number
  push(person: string, item: T): void
  take(): T | undefined
  /** Removes and returns the items of a user that match `isWanted`. */
  remove(person: string, isWanted: (item: T) => boolean): T[]
}

export function createFairQueue<T>(): FairQueue<T> {
  /** Items by user. The order of the map is the order of turns: a user who was served moves to the end. */
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
