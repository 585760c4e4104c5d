/** How high templates came out, so that a record that is shown again takes its room at once. */
const HEIGHTS_MAX = 500
const HEIGHT_DEFAULT = 40
const heights = new Map<string, number>()

export const knownHeight = (id: string, otherwise = HEIGHT_DEFAULT): number => heights.get(id) ?? otherwise

export function keepHeight(id: string, height: number): void {
  heights.delete(id)
  heights.set(id, height)
  for (const oldest of heights.keys()) {
    if (heights.size <= HEIGHTS_MAX) return
    heights.delete(oldest)
  }
}
