/** Client-side validation of settings. The limits are those of the API contract, in code points. */
import { codePointLength } from '@postil/domain/code-points'
import type { MessageKey } from '../../i18n/i18n.ts'
import type { MessageArguments } from '../../i18n/message.ts'

/** Message that is not translated yet. */
export interface Issue {
  key: MessageKey
  values?: MessageArguments
}

export const NAME_MAX = 200
export const TITLE_MAX = 500
export const QUESTION_DESCRIPTION_MAX = 1_000
export const DATASET_DESCRIPTION_MAX = 500
export const GUIDELINES_MAX = 10_000

/** Accepts an empty text. */
export function lengthIssue(text: string, max: number): Issue | null {
  const over = codePointLength(text.trim()) - max
  return over > 0 ? { key: 'datasetSettings.too_long', values: { max, over } } : null
}

export const requiredIssue = (text: string, max: number): Issue | null =>
  text.trim() === '' ? { key: 'datasetSettings.needed' } : lengthIssue(text, max)

export function minSubmittedIssue(text: string): Issue | null {
  const count = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isSafeInteger(count) && count >= 1 ? null : { key: 'datasetSettings.min_submitted_issue' }
}
