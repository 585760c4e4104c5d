/**
 * Palette entries that are not commands, such as labels of the current question and filters of the dataset. Pages add their own.
 */
import { type ComputedRef, computed, onScopeDispose, shallowReactive } from 'vue'

export interface PaletteEntry {
  /** Unique among all entries. */
  id: string
  title: string
  /** Heading of the group. */
  group: string
  /** Chords shown beside the title. */
  keys?: readonly string[]
  /** Additional search terms. */
  words?: string
  run(): unknown
}

const providers = shallowReactive(new Map<symbol, ComputedRef<PaletteEntry[]>>())

/** Adds entries while the calling component is mounted. */
export function usePaletteEntries(entries: () => PaletteEntry[]): void {
  const token = Symbol('palette')
  providers.set(token, computed(entries))
  onScopeDispose(() => providers.delete(token))
}

/** Entries of the component mounted last come first. */
export const providedEntries = (): PaletteEntry[] => [...providers.values()].reverse().flatMap(entries => entries.value)
