/**
 * Every form the value of an answer can have, before anyone asks which question it is for.
 *
 * The forms exclude each other (an empty list is the same empty list in all), so the commonest come first: the first that
 * fits ends the search.
 */
import { AnyOf, List, NumberAsText, type Static, StrictInt, Text } from '../schema.ts'
import { RankingValue } from './ranking/ranking.ts'
import { SpanValue } from './span/span.ts'

/** In suggestions. */
export const AnswerValue = AnyOf({
  string: Text(),
  integer: StrictInt,
  strings: List(Text()),
  span: SpanValue,
  ranking: RankingValue,
})
export type AnswerValue = Static<typeof AnswerValue>

/** In responses, where numbers inside a list of strings become strings. */
export const ResponseAnswerValue = AnyOf({
  string: Text(),
  integer: StrictInt,
  strings: List(NumberAsText),
  span: SpanValue,
  ranking: RankingValue,
})
export type ResponseAnswerValue = Static<typeof ResponseAnswerValue>
