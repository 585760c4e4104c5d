/** Lets the form of a question write at the end of the frame's head line; see head-end.vue. */
import type { InjectionKey, ShallowRef } from 'vue'

export interface QuestionHead {
  /** Gives way to *clear* and *take suggestion*. */
  hint: ShallowRef<HTMLElement | null>
  /** Stays, at the very end. */
  tools: ShallowRef<HTMLElement | null>
}

export const QUESTION_HEAD: InjectionKey<QuestionHead> = Symbol('question head')
