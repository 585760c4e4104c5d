/**
 * Every form the value of an answer can have, before anyone asks which question it is for.
 *
 * The first form that fits wins: an empty list is an empty list of spans, which is the same empty list for the others.
 */
import { AnyOf, List, NumberAsText, type Static, StrictInt, Text } from '../schema.ts'
import { RankingValue } from './ranking/ranking.ts'
import { SpanValue } from './span/span.ts'

/** In suggestions. */
export const AnswerValue = AnyOf({
  span: SpanValue,
  ranking: RankingValue,
  strings: List(Text()),
  integer: StrictInt,
  string: Text(),
})
export type AnswerValue = Static<typeof AnswerValue>

/** In responses, where numbers inside a list of strings become strings. */
export const ResponseAnswerValue = AnyOf({
  span: SpanValue,
  ranking: RankingValue,
  strings: List(NumberAsText),
  integer: StrictInt,
  string: Text(),
})
export type ResponseAnswerValue = Static<typeof ResponseAnswerValue>
