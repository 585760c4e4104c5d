/** Draft of a question: its texts, the settings of its type, and the options that only the web UI uses. */
import type { Question, QuestionUpdate } from '@postil/domain/questions'
import { type DatasetOptions, isLimit, type QuestionOptions } from '../../dataset-options.ts'
import type { MessageKey } from '../../i18n/i18n.ts'
import { type Issue, lengthIssue, QUESTION_DESCRIPTION_MAX, requiredIssue, TITLE_MAX } from './issues.ts'
import { duplicateLetters } from './letter-conflicts.ts'

export interface QuestionDraft extends QuestionOptions {
  title: string
  description: string
  required: boolean
  settings: Question['settings']
}

export const QUESTION_PARTS: { [Part in keyof QuestionDraft]: MessageKey } = {
  title: 'common.title',
  description: 'common.description',
  required: 'common.required',
  settings: 'datasetSettings.part_settings',
  letters: 'datasetSettings.part_letters',
  colours: 'datasetSettings.part_colours',
  limits: 'datasetSettings.part_limits',
}

export const toDraft = ({ title, description, required, settings }: Question, options: QuestionOptions): QuestionDraft => ({
  title,
  description: description ?? '',
  required,
  settings,
  ...options,
})

/** Returns the question with these edits. */
export const withDraft = (question: Question, { title, description, required, settings }: QuestionDraft): Question => ({
  ...question,
  title,
  required,
  description: description.trim() || null,
  settings,
})

type QuestionIssues = { [Part in keyof QuestionDraft]?: Issue | null }

export function questionIssues({ title, description, letters, limits }: QuestionDraft): QuestionIssues {
  const [doubled] = duplicateLetters(letters)
  const areLimits = Object.values(limits).every(limit => limit === null || isLimit(limit))
  return {
    title: requiredIssue(title, TITLE_MAX),
    description: lengthIssue(description, QUESTION_DESCRIPTION_MAX),
    letters: doubled === undefined ? null : { key: 'datasetSettings.letter_doubled', values: { letter: doubled.toUpperCase() } },
    limits: areLimits ? null : { key: 'datasetSettings.limit_issue' },
  }
}

/** Returns the options of all questions, with the changes of this question. */
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

/** Returns the update of the question; null if nothing of the question itself changed. */
export function toUpdate(draft: QuestionDraft, changed: readonly (keyof QuestionDraft)[]): QuestionUpdate | null {
  const update: QuestionUpdate = {
    ...(changed.includes('title') ? { title: draft.title.trim() } : {}),
    ...(changed.includes('description') ? { description: draft.description.trim() || null } : {}),
    ...(changed.includes('settings') ? { settings: draft.settings } : {}),
  }
  return Object.keys(update).length === 0 ? null : update
}
