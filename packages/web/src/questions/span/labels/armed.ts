/**
 * State shared by the form of a span question and the texts it refers to, keyed by question id. There is one text or, in a list
 * of records, many.
 */
import { shallowReactive } from 'vue'
import { useSession } from '../../../session/use-session.ts'

/** A selection in a text that waits for a label. */
export interface Waiting {
  mark(label: string): void
}

/** Offer to mark identical strings in the text. */
export interface Offer {
  count: number
  take(): void
}

export function openArmed() {
  const labels = shallowReactive(new Map<string, string>())
  const waitings = shallowReactive(new Map<string, Waiting>())
  const offers = shallowReactive(new Map<string, Offer>())
  return {
    /** Label for the next selection. */
    labelFor: (questionId: string): string | null => labels.get(questionId) ?? null,
    disarm: (questionId: string): boolean => labels.delete(questionId),
    /**
     * Handles a label picked in the form: marks the pending selection, or arms the label for the next selections. Picking it
     * again disarms it.
     */
    pick(questionId: string, label: string): void {
      const waiting = waitings.get(questionId)
      if (waiting) waiting.mark(label)
      else if (labels.get(questionId) === label) labels.delete(questionId)
      else labels.set(questionId, label)
    },
    wait: (questionId: string, waiting: Waiting): void => void waitings.set(questionId, waiting),
    /** Another text may be waiting by now. */
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
