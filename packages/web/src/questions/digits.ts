/**
 * Numbers typed on digit keys. A digit waits a moment for the next one, unless only one number can be meant:
 * with 12 options `3` acts at once and `1` waits, because 10, 11 and 12 begin with it too.
 */
export const DIGITS_WAIT_MS = 300

export interface DigitsClock {
  set(run: () => void, ms: number): unknown
  clear(timer: unknown): void
}

interface DigitsOptions {
  /** The numbers that can be meant now. */
  numbers(): readonly number[]
  /** `isFlushed`: something else came before the wait was over. */
  take(number: number, isFlushed: boolean): void
  /** Of two numbers that do not make a longer one, both are meant; otherwise the last. */
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

  /** What was typed counts now, if it is a number of its own. */
  function flush(isFlushed = true): void {
    const number = Number(typed)
    const isMeant = typed !== '' && numbers().includes(number)
    stop()
    if (isMeant) take(number, isFlushed)
  }

  /** False: no number begins like this. */
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
