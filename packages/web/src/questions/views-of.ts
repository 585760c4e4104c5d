import type { Question } from '@postil/domain/questions'
import type { Component } from 'vue'
import { widgetOf } from './registry.ts'
import { SpanText } from './span/span.ts'

/** Components needed to answer these questions: their forms, and the text in which spans are marked. */
export const viewsOf = (questions: readonly Question[]): Component[] => [
  ...questions.map(question => widgetOf(question).form),
  ...(questions.some(({ settings }) => settings.type === 'span') ? [SpanText] : []),
]
