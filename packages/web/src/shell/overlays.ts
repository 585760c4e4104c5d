/**
 * Overlays: the command palette and the shortcut sheet. Tracks which one is open and which commands were available when it
 * opened.
 */
import { ref, shallowRef } from 'vue'
import { activeCommands, type Command } from '../shortcuts/commands.ts'
import { type PaletteEntry, providedEntries } from './palette-entries.ts'

export const overlay = ref<'palette' | 'sheet' | null>(null)
/** Captured before the overlay opens, because an open overlay hides the commands of the page. */
export const commandsBeneath = shallowRef<Command[]>([])
export const entriesBeneath = shallowRef<PaletteEntry[]>([])

export function openOverlay(which: 'palette' | 'sheet'): void {
  commandsBeneath.value = activeCommands()
  entriesBeneath.value = providedEntries()
  overlay.value = which
}

export const closeOverlay = () => {
  overlay.value = null
  commandsBeneath.value = []
  entriesBeneath.value = []
}
