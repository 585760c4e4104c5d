/**
 * Numbers typed on digit keys. A digit waits briefly for the next one, unless only one number matches: with 12 options `3` acts
 * immediately and `1` waits, because 10, 11 and 12 start with it too.
 */
export const DIGITS_WAIT_MS = 300

export interface DigitsClock {
  set(run: () => void, ms: number): unknown
  clear(timer: unknown): void
}

interface DigitsOptions {
  /** Numbers that can be entered now. */
  numbers(): readonly number[]
  /** `isFlushed`: another key was pressed before the wait was over. */
  take(number: number, isFlushed: boolean): void
  /** If two digits do not form a number: true accepts both, false only the last. */
  keepsFirst: boolean
  clock?: DigitsClock
}

const systemClock: DigitsClock = {
  set: (run, ms) => setTimeout(run, ms),
  clear: timer => clearTimeout(timer as ReturnType<typeof setTimeout>),
}

export function createDigits({ numbers, take, keepsFirst, clock = systemClock }: DigitsOptions) {
  let typed = ''
  let timer: unknown = null

  const stop = () => {
    if (timer !== null) clock.clear(timer)
    timer = null
    typed = ''
  }
  const candidates = (text: string) => numbers().filter(number => String(number).startsWith(text))

  /** Accepts the typed digits now, if they are a valid number. */
  function flush(isFlushed = true): void {
    const number = Number(typed)
    const isMeant = typed !== '' && numbers().includes(number)
    stop()
    if (isMeant) take(number, isFlushed)
  }

  /** Returns false if no number starts with these digits. */
  function press(digit: string): boolean {
    if (typed !== '' && candidates(typed + digit).length === 0) {
      if (keepsFirst) flush()
      else stop()
    }
    const meant = candidates(typed + digit)
    const [only] = meant
    if (only === undefined) return false
    if (timer !== null) clock.clear(timer)
    if (meant.length === 1) {
      stop()
      take(only, false)
      return true
    }
    typed += digit
    timer = clock.set(() => flush(false), DIGITS_WAIT_MS)
    return true
  }

  return { press, flush, cancel: stop, isWaiting: () => typed !== '' }
}
