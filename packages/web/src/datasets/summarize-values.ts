/** Summarises a response in one line. */
import type { Question } from '@postil/domain/questions'
import type { ResponseValues } from '@postil/domain/responses'
import { widgetOf } from '../questions/registry.ts'

export const summarizeValues = (values: ResponseValues | null, questions: readonly Question[]): string =>
  questions
    .flatMap(question => {
      const answer = values && Object.hasOwn(values, question.name) ? values[question.name] : undefined
      return answer ? [widgetOf(question).summarize(answer.value, question)] : []
    })
    .filter(text => text !== '')
    .join(' · ')
