/** How saving stands, for the line in the top bar. The outbox of the annotation page tells it. */
import { reactive, ref } from 'vue'

export interface ConnectionState {
  /** `attention`: an answer was refused and waits for a decision. */
  state: 'saved' | 'saving' | 'offline' | 'attention'
  /** Answers that are not at the server yet. */
  waiting: number
  /** Answers that were refused. */
  attention: number
}

export const connection = reactive<ConnectionState>({ state: 'saved', waiting: 0, attention: 0 })

/** Set by a click on the line: the outbox lies over the page. */
export const openOutbox = ref(false)
