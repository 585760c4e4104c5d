/** Merges one form into the answers of many records, and finds missing answers. */
import type { Question } from '@postil/domain/questions'
import { isAnswered, isPartlyAnswered } from '@postil/domain/questions/answered'
import type { QuestionWidget } from '../../../../questions/question-widget.ts'
import type { Answers, Gap } from '../../form/answers.ts'

/** The part of a question widget that merging needs. */
export type Rules = (question: Question) => Pick<QuestionWidget, 'isPerRecord'>

const pick = (answers: Answers, questions: readonly Question[]): Answers =>
  Object.fromEntries(
    questions.flatMap(({ name }) => {
      const answer = Object.hasOwn(answers, name) ? answers[name] : undefined
      return answer ? [[name, answer]] : []
    }),
  )

/** Returns the answers that are the same for all records, without those about a record's own text. */
export const sharedOnly = (answers: Answers, questions: readonly Question[], rules: Rules): Answers =>
  pick(
    answers,
    questions.filter(question => !rules(question).isPerRecord),
  )

export interface OfRecord {
  /** The user's stored response. */
  stored: Answers
  /** Answers given in the record's own text. */
  marked: Answers
}

/** Answers of the form that say that there is nothing to mark: for records without marks. */
export const nothingToMark = (form: Answers, questions: readonly Question[], rules: Rules): Answers =>
  pick(
    form,
    questions.filter(question => rules(question).isPerRecord && isNothing(form[question.name]?.value)),
  )
const isNothing = (value: unknown) => Array.isArray(value) && value.length === 0

/** Answers of the form and answers given in the record's own text replace stored ones; all others stay. */
export function mergeAnswers({ stored, marked }: OfRecord, form: Answers, questions: readonly Question[], rules: Rules): Answers {
  const own = pick(
    marked,
    questions.filter(question => rules(question).isPerRecord),
  )
  return { ...nothingToMark(form, questions, rules), ...stored, ...own, ...sharedOnly(form, questions, rules) }
}

/**
 * Returns the gaps that prevent sending the form. An unanswered question is not a gap if all records already have an answer to
 * it. If the records are not loaded (null), the server checks each one, unless none can have an answer.
 */
export function bulkGaps(
  questions: readonly Question[],
  form: Answers,
  records: readonly OfRecord[] | null,
  { rules, canHaveAnswers }: { rules: Rules; canHaveAnswers: boolean },
): Gap[] {
  return questions.flatMap((question): Gap[] => {
    const { isPerRecord } = rules(question)
    const value = form[question.name]?.value ?? null
    if (isPartlyAnswered(value, question)) return [{ question, kind: 'partial' }]
    if (!question.required || isAnswered(value, question)) return []
    const ownOf = ({ stored, marked }: OfRecord) => (isPerRecord ? marked[question.name] : undefined) ?? stored[question.name]
    const isOpen = records?.some(record => !isAnswered(ownOf(record)?.value ?? null, question)) ?? !canHaveAnswers
    return isOpen ? [{ question, kind: 'missing' }] : []
  })
}
