/** Offer to mark all strings identical to the last marked one. It is withdrawn after any other action. */
import { onScopeDispose, shallowRef } from 'vue'
import { type Offer, useArmed } from '../labels/armed.ts'

export function useOffer() {
  const { offer, takeBack } = useArmed()
  const made = shallowRef<{ questionId: string; offer: Offer } | null>(null)
  let round = 0

  function withdraw() {
    round++
    if (made.value) takeBack(made.value.questionId, made.value.offer)
    made.value = null
  }
  /** Deferred until the mark is painted, because the search scans the whole text. */
  function prepare(questionId: string, find: () => Offer | null) {
    const own = round
    requestAnimationFrame(() => setTimeout(() => own === round && make(questionId, find())))
  }
  function make(questionId: string, found: Offer | null) {
    if (!found) return
    made.value = { questionId, offer: found }
    offer(questionId, found)
  }
  onScopeDispose(withdraw)
  return { withdraw, prepare, take: () => made.value?.offer.take(), isMade: () => made.value !== null }
}
