/** Remembers the heights of templates, so that a record that is shown again has its final height immediately. */
import { useSession } from '../../session/use-session.ts'

const HEIGHTS_MAX = 500
const HEIGHT_DEFAULT = 40

function openHeights() {
  const heights = new Map<string, number>()
  return {
    known: (id: string, otherwise = HEIGHT_DEFAULT): number => heights.get(id) ?? otherwise,
    keep(id: string, height: number): void {
      heights.delete(id)
      heights.set(id, height)
      for (const oldest of heights.keys()) {
        if (heights.size <= HEIGHTS_MAX) return
        heights.delete(oldest)
      }
    },
  }
}

export const useHeights = () => useSession().own(openHeights)
