/** Digit keys of the question in hand, wherever the focus is. */
import { onScopeDispose, watch } from 'vue'
import type { MessageKey } from '../i18n/i18n.ts'
import { chordOf } from '../shortcuts/chords.ts'
import { useCommands } from '../shortcuts/commands.ts'
import { createDigits } from './digits.ts'

interface DigitKeys {
  title: MessageKey
  /** The question is in hand and can be answered. */
  isOn(): boolean
  numbers(): readonly number[]
  take(number: number, isFlushed: boolean): void
  keepsFirst: boolean
}

const isDigit = (chord: string | null) => chord !== null && /^\d$/.test(chord)

export function useDigits({ title, isOn, ...options }: DigitKeys): void {
  const digits = createDigits(options)

  // Enter right after a digit submits: the digit must count first.
  const onKey = (event: KeyboardEvent) => {
    if (!isDigit(chordOf(event))) settle()
  }
  const listen = () => addEventListener('keydown', onKey, { capture: true })
  const settle = () => {
    removeEventListener('keydown', onKey, { capture: true })
    digits.flush()
  }

  useCommands('widget', () => [
    {
      id: 'question.pick',
      title,
      group: 'questions.group_question',
      keys: ['0-9'],
      inPalette: false,
      when: isOn,
      run(event) {
        const chord = event && chordOf(event)
        if (chord === null || !digits.press(chord)) return false
        if (digits.isWaiting()) listen()
        return true
      },
    },
  ])

  watch(isOn, isOnNow => {
    if (!isOnNow) settle()
  })
  onScopeDispose(() => {
    digits.cancel()
    removeEventListener('keydown', onKey, { capture: true })
  })
}
