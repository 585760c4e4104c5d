/**
 * What the form of a span question and the texts it is about know of each other. There may be one text or, in a list of
 * records, many; they meet by the question's id.
 */
import { shallowReactive } from 'vue'

/** A selection in a text that waits for its label. */
export interface Waiting {
  mark(label: string): void
}

/** More strings like the one that was just marked. */
export interface Offer {
  count: number
  take(): void
}

const labels = shallowReactive(new Map<string, string>())
const waitings = shallowReactive(new Map<string, Waiting>())
const offers = shallowReactive(new Map<string, Offer>())

/** The label that the next selection gets. */
export const armedLabel = (questionId: string): string | null => labels.get(questionId) ?? null
export const disarm = (questionId: string): boolean => labels.delete(questionId)

/** A label was picked in the form: it goes to the selection that waits for it, or to the ones to come. Picked again, to none. */
export function pickLabel(questionId: string, label: string): void {
  const waiting = waitings.get(questionId)
  if (waiting) waiting.mark(label)
  else if (labels.get(questionId) === label) labels.delete(questionId)
  else labels.set(questionId, label)
}

export const wait = (questionId: string, waiting: Waiting): void => void waitings.set(questionId, waiting)
/** Another text may wait by now. */
export function stopWaiting(questionId: string, waiting: Waiting): void {
  if (waitings.get(questionId) === waiting) waitings.delete(questionId)
}

export const offerFor = (questionId: string): Offer | null => offers.get(questionId) ?? null
export const offer = (questionId: string, given: Offer): void => void offers.set(questionId, given)
export function takeBack(questionId: string, given: Offer): void {
  if (offers.get(questionId) === given) offers.delete(questionId)
}
