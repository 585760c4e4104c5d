/** A question while it is edited: its texts, what its type lets one set, and what this web UI keeps of it. */
import type { Question, QuestionUpdate } from '@postil/domain/questions'
import { type DatasetOptions, isLimit, type QuestionOptions } from '../../dataset-options.ts'
import type { MessageKey } from '../../i18n/i18n.ts'
import { type Issue, lengthIssue, QUESTION_DESCRIPTION_MAX, requiredIssue, TITLE_MAX } from './issues.ts'
import { doubledLetters } from './letter-conflicts.ts'

export interface QuestionDraft extends QuestionOptions {
  title: string
  description: string
  settings: Question['settings']
}

export const QUESTION_PARTS: { [Part in keyof QuestionDraft]: MessageKey } = {
  title: 'common.title',
  description: 'common.description',
  settings: 'datasetSettings.part_settings',
  letters: 'datasetSettings.part_letters',
  colours: 'datasetSettings.part_colours',
  limits: 'datasetSettings.part_limits',
}

export const toDraft = ({ title, description, settings }: Question, options: QuestionOptions): QuestionDraft => ({
  title,
  description: description ?? '',
  settings,
  ...options,
})

/** The question as it would be with these edits. */
export const withDraft = (question: Question, { title, description, settings }: QuestionDraft): Question => ({
  ...question,
  title,
  description: description.trim() || null,
  settings,
})

type QuestionIssues = { [Part in keyof QuestionDraft]?: Issue | null }

export function questionIssues({ title, description, letters, limits }: QuestionDraft): QuestionIssues {
  const [doubled] = doubledLetters(letters)
  const areLimits = Object.values(limits).every(limit => limit === null || isLimit(limit))
  return {
    title: requiredIssue(title, TITLE_MAX),
    description: lengthIssue(description, QUESTION_DESCRIPTION_MAX),
    letters: doubled === undefined ? null : { key: 'datasetSettings.letter_doubled', values: { letter: doubled.toUpperCase() } },
    limits: areLimits ? null : { key: 'datasetSettings.limit_issue' },
  }
}

/** The options of all questions with the changed ones of this question. */
export function withQuestionOptions(
  stored: Pick<DatasetOptions, keyof QuestionOptions>,
  name: string,
  draft: QuestionOptions,
  changed: readonly (keyof QuestionDraft)[],
): Partial<DatasetOptions> {
  return {
    ...(changed.includes('letters') ? { letters: { ...stored.letters, [name]: { ...draft.letters } } } : {}),
    ...(changed.includes('colours') ? { colours: { ...stored.colours, [name]: { ...draft.colours } } } : {}),
    ...(changed.includes('limits') ? { limits: { ...stored.limits, [name]: { ...draft.limits } } } : {}),
  }
}

/** What the server has to be told; null when it is nothing of the question itself. */
export function toUpdate(draft: QuestionDraft, changed: readonly (keyof QuestionDraft)[]): QuestionUpdate | null {
  const update: QuestionUpdate = {
    ...(changed.includes('title') ? { title: draft.title.trim() } : {}),
    ...(changed.includes('description') ? { description: draft.description.trim() || null } : {}),
    ...(changed.includes('settings') ? { settings: draft.settings } : {}),
  }
  return Object.keys(update).length === 0 ? null : update
}
