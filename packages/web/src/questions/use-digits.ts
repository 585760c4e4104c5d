/** Digit keys of the current question, wherever the focus is. */
import { onScopeDispose, watch } from 'vue'
import type { MessageKey } from '../i18n/i18n.ts'
import { chordOf } from '../shortcuts/chords.ts'
import { useCommands } from '../shortcuts/commands.ts'
import { define } from '../shortcuts/defaults.ts'
import { createDigits } from './digits.ts'

interface DigitKeys {
  title: MessageKey
  /** True if the question is current and can be answered. */
  isOn(): boolean
  numbers(): readonly number[]
  take(number: number, isFlushed: boolean): void
  keepsFirst: boolean
}

/** Returns the digit of a key press, ignoring modifiers; null for other keys. */
const digitOf = (chord: string | null) => (chord !== null && /(?:^|\+)\d$/.test(chord) ? chord.slice(-1) : null)

export function useDigits({ title, isOn, ...options }: DigitKeys): void {
  const digits = createDigits(options)

  // Flushes a waiting digit before other keys are handled, because Enter right after a digit submits.
  const onKey = (event: KeyboardEvent) => {
    const chord = chordOf(event)
    if (chord !== null && digitOf(chord) === null) settle()
  }
  const listen = () => addEventListener('keydown', onKey, { capture: true })
  const settle = () => {
    removeEventListener('keydown', onKey, { capture: true })
    digits.flush()
  }

  useCommands('widget', () => [define('question.pick', event => press(digitOf(event && chordOf(event))), { title, when: isOn })])
  function press(digit: string | null): boolean {
    if (digit === null || !digits.press(digit)) return false
    if (digits.isWaiting()) listen()
    return true
  }

  watch(isOn, isOnNow => {
    if (!isOnNow) settle()
  })
  onScopeDispose(() => {
    digits.cancel()
    removeEventListener('keydown', onKey, { capture: true })
  })
}
