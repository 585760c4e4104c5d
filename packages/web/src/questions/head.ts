/** Lets the form of a question add content to the end of the frame's head line; see head-end.vue. */
import type { InjectionKey, ShallowRef } from 'vue'

export interface QuestionHead {
  /** Hidden while *clear* and *accept suggestion* are shown. */
  hint: ShallowRef<HTMLElement | null>
  /** Always visible, at the very end. */
  tools: ShallowRef<HTMLElement | null>
}

export const QUESTION_HEAD: InjectionKey<QuestionHead> = Symbol('question head')
