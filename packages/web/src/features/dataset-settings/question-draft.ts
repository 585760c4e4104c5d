/** A question while it is edited: its texts, what its type lets one set, and the letters of its labels. */
import type { Question, QuestionUpdate } from '@postil/domain/questions'
import type { MessageKey } from '../../i18n/i18n.ts'
import { type Issue, lengthIssue, QUESTION_DESCRIPTION_MAX, requiredIssue, TITLE_MAX } from './issues.ts'
import { doubledLetters } from './letter-conflicts.ts'

export interface QuestionDraft {
  title: string
  description: string
  settings: Question['settings']
  /** Option value -> letter. */
  letters: Readonly<Record<string, string>>
}

export const QUESTION_PARTS: { [Part in keyof QuestionDraft]: MessageKey } = {
  title: 'common.title',
  description: 'common.description',
  settings: 'datasetSettings.part_settings',
  letters: 'datasetSettings.part_letters',
}

export const toDraft = (
  { title, description, settings }: Question,
  letters: Readonly<Record<string, string>>,
): QuestionDraft => ({
  title,
  description: description ?? '',
  settings,
  letters,
})

/** The question as it would be with these edits. */
export const withDraft = (question: Question, { title, description, settings }: QuestionDraft): Question => ({
  ...question,
  title,
  description: description.trim() || null,
  settings,
})

export function questionIssues({ title, description, letters }: QuestionDraft): { [Part in keyof QuestionDraft]?: Issue | null } {
  const [doubled] = doubledLetters(letters)
  return {
    title: requiredIssue(title, TITLE_MAX),
    description: lengthIssue(description, QUESTION_DESCRIPTION_MAX),
    letters: doubled === undefined ? null : { key: 'datasetSettings.letter_doubled', values: { letter: doubled.toUpperCase() } },
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
