/** One form for many records: what each of them gets, and what stands in the way. */
import type { Question } from '@postil/domain/questions'
import type { QuestionWidget } from '../../../questions/question-widget.ts'
import type { Answers, Gap } from '../answers.ts'

/** What has to be known of a question's type. */
export type Rules = (question: Question) => Pick<QuestionWidget, 'isPerRecord' | 'isPartial' | 'isAnswered'>

const pick = (answers: Answers, questions: readonly Question[]): Answers =>
  Object.fromEntries(
    questions.flatMap(({ name }) => {
      const answer = Object.hasOwn(answers, name) ? answers[name] : undefined
      return answer ? [[name, answer]] : []
    }),
  )

/** Answers that are the same for all; those about a record's own text are not. */
export const sharedOnly = (answers: Answers, questions: readonly Question[], rules: Rules): Answers =>
  pick(
    answers,
    questions.filter(question => !rules(question).isPerRecord),
  )

export interface OfRecord {
  /** My response so far. */
  stored: Answers
  /** What stands in the record's own text. */
  marked: Answers
}

/** What the form gives replaces, what was marked in the record's own text replaces, all else stays. */
export function mergeAnswers({ stored, marked }: OfRecord, form: Answers, questions: readonly Question[], rules: Rules): Answers {
  const own = pick(
    marked,
    questions.filter(question => rules(question).isPerRecord),
  )
  return { ...stored, ...own, ...sharedOnly(form, questions, rules) }
}

/**
 * What stands in the way of sending the form. A question that is left open is no gap where all the records have an answer to
 * it already. Of records that are not at hand (null) the server judges each, unless none can have an answer.
 */
export function bulkGaps(
  questions: readonly Question[],
  form: Answers,
  stored: readonly Answers[] | null,
  { rules, canHaveAnswers }: { rules: Rules; canHaveAnswers: boolean },
): Gap[] {
  return questions.flatMap((question): Gap[] => {
    const { isPerRecord, isPartial, isAnswered } = rules(question)
    const value = form[question.name]?.value ?? null
    if (isPerRecord) return []
    if (isPartial(value, question)) return [{ question, kind: 'partial' }]
    if (!question.required || isAnswered(value, question)) return []
    const isOpen = stored?.some(answers => !isAnswered(answers[question.name]?.value ?? null, question)) ?? !canHaveAnswers
    return isOpen ? [{ question, kind: 'missing' }] : []
  })
}
