/** Form state of a user, with its validation. */
import { codePointLength } from '@postil/domain/code-points'
import { DomainError } from '@postil/domain/errors'
import { findNameProblem } from '@postil/domain/names'
import { type Role, USER_NAME_LENGTH_MAX, type User, type UserUpdate } from '@postil/domain/users'
import { type MessageKey, t } from '../../../i18n/i18n.ts'
import { describeRefusal } from '../refusal.ts'

export interface UserDraft {
  username: string
  first_name: string
  last_name: string
  role: Role
}

const FIELDS = ['username', 'first_name', 'last_name'] as const
export type DraftField = (typeof FIELDS)[number]
export type DraftIssues = Partial<Record<DraftField, string>>

export const toDraft = (user: User | null): UserDraft => ({
  username: user?.username ?? '',
  first_name: user?.first_name ?? '',
  last_name: user?.last_name ?? '',
  role: user?.role ?? 'annotator',
})

/** `required`: the fields that must not be empty. `before`: the username so far, which may be older than the rule for names. */
export function draftIssues(draft: UserDraft, required: readonly DraftField[], before: string | null): DraftIssues {
  const issueOf = (field: DraftField): MessageKey | null => {
    const value = draft[field].trim()
    if (value === '') return required.includes(field) ? 'people.issue_required' : null
    if (codePointLength(value) > USER_NAME_LENGTH_MAX) return 'people.issue_long'
    const isNewName = field === 'username' && value !== before?.trim()
    return isNewName && findNameProblem(value) !== null ? 'people.issue_invisible' : null
  }
  return Object.fromEntries(
    FIELDS.flatMap(field => {
      const issue = issueOf(field)
      return issue === null ? [] : [[field, t(issue)]]
    }),
  )
}

/** Returns the server's error by form field; null if the error is not about one of the fields. */
export function refusedField(error: unknown): DraftIssues | null {
  if (!(error instanceof DomainError)) return null
  const field = FIELDS.find(name => name === error.at[0])
  if (field === undefined) return null
  // The reason of a conflict names the user whose name looks the same.
  const isTaken = field === 'username' && error.code !== 'conflict'
  return { [field]: isTaken ? t('people.username_taken') : describeRefusal(error) }
}

/** Returns only the changed fields, so that changes by another owner are not overwritten; null if nothing changed. */
export function toUpdate(user: User, draft: UserDraft): UserUpdate | null {
  const last_name = draft.last_name.trim() || null
  const given: UserUpdate = {
    ...(draft.username.trim() === user.username.trim() ? {} : { username: draft.username.trim() }),
    ...(draft.first_name.trim() === user.first_name ? {} : { first_name: draft.first_name.trim() }),
    ...(last_name === user.last_name ? {} : { last_name }),
    ...(draft.role === user.role ? {} : { role: draft.role }),
  }
  return Object.keys(given).length === 0 ? null : given
}
