import type { Question } from '@postil/domain/questions'
import type { Component } from 'vue'
import { widgetOf } from './registry.ts'
import { SpanText } from './span/span.ts'

/** What these questions are answered with: their forms, and the text that spans are marked in. */
export const viewsOf = (questions: readonly Question[]): Component[] => [
  ...questions.map(question => widgetOf(question).form),
  ...(questions.some(({ settings }) => settings.type === 'span') ? [SpanText] : []),
]
