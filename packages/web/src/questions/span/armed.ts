/**
 * What the form of a span question and the texts it is about know of each other. There may be one text or, in a list of
 * records, many; they meet by the question's id.
 */
import { shallowReactive } from 'vue'
import { useSession } from '../../session/use-session.ts'

/** A selection in a text that waits for its label. */
export interface Waiting {
  mark(label: string): void
}

/** More strings like the one that was just marked. */
export interface Offer {
  count: number
  take(): void
}

export function openArmed() {
  const labels = shallowReactive(new Map<string, string>())
  const waitings = shallowReactive(new Map<string, Waiting>())
  const offers = shallowReactive(new Map<string, Offer>())
  return {
    /** The label that the next selection gets. */
    labelFor: (questionId: string): string | null => labels.get(questionId) ?? null,
    disarm: (questionId: string): boolean => labels.delete(questionId),
    /** A label was picked in the form: it goes to the selection that waits for it, or to the ones to come. Picked again, to none. */
    pick(questionId: string, label: string): void {
      const waiting = waitings.get(questionId)
      if (waiting) waiting.mark(label)
      else if (labels.get(questionId) === label) labels.delete(questionId)
      else labels.set(questionId, label)
    },
    wait: (questionId: string, waiting: Waiting): void => void waitings.set(questionId, waiting),
    /** Another text may wait by now. */
    stopWaiting(questionId: string, waiting: Waiting): void {
      if (waitings.get(questionId) === waiting) waitings.delete(questionId)
    },
    offerFor: (questionId: string): Offer | null => offers.get(questionId) ?? null,
    offer: (questionId: string, given: Offer): void => void offers.set(questionId, given),
    takeBack(questionId: string, given: Offer): void {
      if (offers.get(questionId) === given) offers.delete(questionId)
    },
  }
}

export const useArmed = () => useSession().own(openArmed)
