import { checkAt, invalid } from './errors.ts'
import { AnswerValue } from './questions/answer-value.ts'
import type { QuestionRule, RecordRules } from './record-rules.ts'
import type { RecordFields } from './records.ts'
import {
  AnyJson,
  AnyOf,
  Float,
  Id,
  type Json,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
  Timestamps,
  Type,
} from './schema.ts'

export const SUGGESTION_TYPES = ['model', 'human'] as const
export type SuggestionType = (typeof SUGGESTION_TYPES)[number]

/** ASCII letters, digits, `-`, `_`, `:`, `.`, `/` and white space; at least one letter or digit. */
const AGENT_PATTERN = '^[_:./\\s-]*[A-Za-z0-9][A-Za-z0-9_:./\\s-]*$'

const Agent = Type.String({ minLength: 1, maxLength: 200, pattern: AGENT_PATTERN })

const Score = AnyOf({ number: Float(), list: List(Float()) })
type Score = Static<typeof Score>

/** The range is checked for the whole score, so that a list with an invalid number is reported as one problem at `score`. */
const ScoreCreate = Type.Unsafe<Score>({ ...Score, 'x-check': scoreProblem })

export const Suggestion = Shape({
  id: Id,
  question_id: Id,
  type: Nullable(OneOf(SUGGESTION_TYPES)),
  value: AnyJson,
  score: Nullable(Score),
  agent: Nullable(Text()),
  ...Timestamps,
})
export type Suggestion = Static<typeof Suggestion>

export const SuggestionCreate = Shape({
  question_id: Id,
  value: AnswerValue,
  type: Optional(Nullable(OneOf(SUGGESTION_TYPES))),
  agent: Optional(Nullable(Agent)),
  score: Optional(Nullable(ScoreCreate)),
})
export type SuggestionCreate = Static<typeof SuggestionCreate>

function scoreProblem(score: Score): string | null {
  const scores = typeof score === 'number' ? [score] : score
  if (scores.length === 0) return 'A list of scores must have at least one number'
  return scores.every(number => number >= 0 && number <= 1) ? null : 'A score must be between 0 and 1'
}

/** Checks a suggestion against its question and the record's fields after the write. */
export function checkSuggestion(suggestion: SuggestionCreate, rules: RecordRules, fields: RecordFields): void {
  const question = rules.questionsById.get(suggestion.question_id)
  if (question === undefined) {
    throw invalid(`\`${suggestion.question_id}\` is not a question of this dataset`, ['question_id'])
  }
  checkAt(['value'], () => question.type.checkValue(suggestion.value, question, { fields, status: null }))
  checkScore(suggestion.score ?? null, suggestion.value, question)
}

/** Checks the suggestions of one record, with at most one per question. */
export function checkSuggestions(suggestions: readonly SuggestionCreate[], rules: RecordRules, fields: RecordFields): void {
  const seen = new Set<Id>()
  for (const [index, suggestion] of suggestions.entries()) {
    const at = ['suggestions', index]
    checkAt(at, () => checkSuggestion(suggestion, rules, fields))
    if (seen.has(suggestion.question_id)) {
      const name = rules.questionsById.get(suggestion.question_id)?.name
      throw invalid(`Question \`${name}\` has more than one suggestion in this record`, at)
    }
    seen.add(suggestion.question_id)
  }
}

function checkScore(score: Score | null, value: Json, { name, type }: QuestionRule): void {
  if (score === null) return
  if (!type.listValued) {
    if (Array.isArray(score)) throw invalid(`Question \`${name}\` has a single value, so \`score\` must be one number`, ['score'])
    return
  }
  const length = Array.isArray(value) ? value.length : 0
  if (!Array.isArray(score)) {
    throw invalid(`Question \`${name}\` has a list of values, so \`score\` must be a list of ${length} numbers`, ['score'])
  }
  if (score.length !== length) {
    throw invalid(`Question \`${name}\` has ${length} values but ${score.length} scores; give one score for each`, ['score'])
  }
}
