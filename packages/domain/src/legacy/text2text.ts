import { codePointLength } from '../code-points.ts'
import { type Json, List, Shape, Text } from '../schema.ts'
import { commonOf, Score, type Side } from './record.ts'
import type { TaskRules } from './task.ts'
import { byScore } from './text-classification.ts'

interface Sentence {
  text: string
  score: number
}

const sentencesOf = (side: Side | undefined) => (side?.sentences ?? []) as unknown as Sentence[]

export const text2text: TaskRules = {
  Record: Shape({ ...commonOf({ sentences: List(Shape({ text: Text(), score: Score })) }), text: Text() }),
  toStored: ({ text }) => ({ text: text as string }),
  toStoredSide: ({ sentences }) => ({ sentences: (sentences as unknown as Sentence[]).toSorted(byScore) as unknown as Json }),
  derive: record => {
    const text = record.text as string
    return {
      text,
      predicted_as: sentencesOf(record.prediction).map(sentence => sentence.text),
      annotated_as: sentencesOf(record.annotation).map(sentence => sentence.text),
      score: sentencesOf(record.prediction).map(({ score }) => score),
      predicted: null,
      metrics: { text_length: codePointLength(text) },
    }
  },
  labelsOf: () => [],
}
