/**
 * Roving tab index for the options of a question: Tab and Shift+Tab move between them, because the arrow keys move between
 * questions and records. Tab wraps around after the last option. Arrow keys and Escape leave the options, and Shift+Tab on the
 * first one moves to the content above.
 */
import { computed, nextTick, type Ref, ref } from 'vue'
import { useCommands } from '../shortcuts/commands.ts'
import { define } from '../shortcuts/defaults.ts'

interface Roving {
  root: Ref<HTMLElement | undefined>
  /** In display order. */
  keys(): readonly string[]
  isOn(): boolean
  /** Initial option. */
  preferred(): string | null
  /** Renders an option that is not visible yet. */
  reveal?(key: string): void
  /** Called for Tab on the last option; returns true if more options were shown. */
  pastEnd?(): boolean
}

/** Returns the key of the option that an event belongs to, or null. */
export const optionKeyOf = (target: EventTarget | null): string | null =>
  (target instanceof Element ? target.closest<HTMLElement>('[data-option][data-key]')?.dataset.key : null) ?? null

export function useRoving({ root, keys, isOn, preferred, reveal, pastEnd }: Roving) {
  const chosen = ref<string | null>(null)
  const current = computed(() => {
    const all = keys()
    const wanted = [chosen.value, preferred()].find(key => key !== null && all.includes(key))
    return wanted ?? all[0] ?? null
  })

  const elementOf = (key: string) => root.value?.querySelector<HTMLElement>(`[data-option][data-key="${CSS.escape(key)}"]`)

  /** Focuses an option; by default the answer, if there is one. */
  async function focus(wanted: string | null = preferred()): Promise<void> {
    const key = wanted !== null && keys().includes(wanted) ? wanted : current.value
    if (key === null) return
    chosen.value = key
    reveal?.(key)
    await nextTick()
    elementOf(key)?.focus()
  }

  /** Returns null if the key press was not on one of these options. */
  function focusedKey(event: KeyboardEvent | null): string | null {
    const key = event && optionKeyOf(event.target)
    return key !== null && event?.target instanceof Node && root.value?.contains(event.target) ? key : null
  }

  const afterLast = (before: readonly string[]) =>
    (pastEnd?.() ? keys().find(one => !before.includes(one)) : undefined) ?? before[0]

  function step(event: KeyboardEvent | null, by: 1 | -1): boolean {
    const key = focusedKey(event)
    if (key === null) return false
    const before = keys()
    const next = before[before.indexOf(key) + by] ?? (by === 1 ? afterLast(before) : undefined)
    if (next === undefined || next === key) return false
    void focus(next)
    return true
  }

  const when = () => isOn() && keys().length > 0
  useCommands('widget', () => [
    define('question.nextOption', event => step(event, 1), { when }),
    define('question.previousOption', event => step(event, -1), { when }),
  ])

  const reset = () => {
    chosen.value = null
  }
  return { current, focus, focusedKey, reset, turnTo: (key: string) => (chosen.value = key) }
}
