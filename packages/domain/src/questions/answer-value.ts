/**
 * All forms of an answer value, before the question type is known.
 *
 * The forms exclude each other, except for the empty list, which is the same in all. The most common come first, because the
 * first match ends the search.
 */
import { AnyOf, List, NumberAsText, type Static, StrictInt, Text } from '../schema.ts'
import { RankingValue } from './ranking/ranking.ts'
import { SpanValue, SuggestedSpanValue } from './span/span.ts'

/** Values in suggestions. */
export const AnswerValue = AnyOf({
  string: Text(),
  integer: StrictInt,
  strings: List(Text()),
  span: SuggestedSpanValue,
  ranking: RankingValue,
})
export type AnswerValue = Static<typeof AnswerValue>

/** Values in responses. Numbers inside a list of strings become strings. */
export const ResponseAnswerValue = AnyOf({
  string: Text(),
  integer: StrictInt,
  strings: List(NumberAsText),
  span: SpanValue,
  ranking: RankingValue,
})
export type ResponseAnswerValue = Static<typeof ResponseAnswerValue>
