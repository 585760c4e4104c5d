/** The palette and the shortcut sheet: which of them lies over the page, and what could be done when it was opened. */
import { ref, shallowRef } from 'vue'
import { activeCommands, type Command } from '../shortcuts/commands.ts'
import { type PaletteEntry, pageEntries } from './palette-entries.ts'

export const overlay = ref<'palette' | 'sheet' | null>(null)
/** Taken before the overlay opens: once it lies there, it hides all that is beneath it. */
export const commandsBeneath = shallowRef<Command[]>([])
export const entriesBeneath = shallowRef<PaletteEntry[]>([])

export function openOverlay(which: 'palette' | 'sheet'): void {
  commandsBeneath.value = activeCommands()
  entriesBeneath.value = pageEntries()
  overlay.value = which
}

export const closeOverlay = () => {
  overlay.value = null
  commandsBeneath.value = []
  entriesBeneath.value = []
}
