/** Rows of the palette that are no commands: labels of the question in hand, filters of the dataset. Pages add theirs. */
import { type ComputedRef, computed, onScopeDispose, shallowReactive } from 'vue'

export interface PaletteEntry {
  /** Unique among all entries. */
  id: string
  title: string
  /** Heading under which it stands. */
  group: string
  /** Chords shown beside it. */
  keys?: readonly string[]
  /** Found by these words too. */
  words?: string
  run(): unknown
}

const providers = shallowReactive(new Map<symbol, ComputedRef<PaletteEntry[]>>())

/** Adds rows while the calling component lives. */
export function usePaletteEntries(entries: () => PaletteEntry[]): void {
  const token = Symbol('palette')
  providers.set(token, computed(entries))
  onScopeDispose(() => providers.delete(token))
}

/** Of what was opened last first. */
export const pageEntries = (): PaletteEntry[] => [...providers.values()].reverse().flatMap(entries => entries.value)
