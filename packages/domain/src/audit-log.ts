/**
 * The audit log: who did what to accounts, permissions, settings and data, and from where.
 *
 * The name of an action starts with the type of its target, so that a filter by type is a filter by actions. Entries store names
 * as they were at that time, because users and datasets can be renamed or deleted later.
 */
import { invalid } from './errors.ts'
import {
  AnyJson,
  Dictionary,
  Id,
  Int,
  type Json,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
  Timestamp,
} from './schema.ts'

/** Every action with its description. The reference page is generated from this list. */
export const AUDIT_ACTIONS = {
  'user.signed_in':
    'Somebody signed in. `details.method` is `session` for the web UI and `token` for programs; `details.provider` names the provider, if there was one instead of a password.',
  'user.sign_in_failed':
    'A sign-in was refused. `details.reason` is `wrong_password`, `unknown_user`, `too_many_attempts`, `deactivated` (the password was right) or `provider_refused`. The target is null if there is no such user: what was typed as the name is not stored.',
  'user.signed_out': 'Somebody signed out in their browser.',
  'user.session_ended': 'Somebody ended one of their own sessions in another browser.',
  'user.password_changed': 'A password was changed, by the user or by an owner. Sessions in other browsers end with it.',
  'user.password_change_failed': 'Somebody who was signed in gave a wrong current password for a new one.',
  'user.api_key_rotated': 'An API key was replaced, by the user or by an owner.',
  'user.created':
    'A user was created, by an owner, by a start of the server or on its command line (`details.command`), or by a sign-in with a provider (`details.provider`), or by somebody who accepted an invitation (`details.invitation_id`). `details` holds the role and the names of the workspaces.',
  'user.updated':
    'A user was changed. `details.changed` lists the properties; the role and the username are given with their old values.',
  'user.deactivated': 'A user was deactivated: their API key is refused, and their sessions and tokens end.',
  'user.reactivated': 'A user was let in again.',
  'user.deleted':
    'A user was deleted. `details.responses` is `delete` or `keep`: their responses went with them or stay under a pseudonym.',
  'invitation.created':
    'An owner invited somebody. The target is named by the username, if the invitation has one; `details` holds the role and the names of the workspaces.',
  'invitation.revoked': 'An owner revoked an invitation.',
  'workspace.created': 'A workspace was created.',
  'workspace.deleted': 'A workspace was deleted.',
  'workspace.user_added': 'A user became a member of a workspace.',
  'workspace.user_removed': 'A user was removed from a workspace.',
  'dataset.created': 'A dataset was created.',
  'dataset.updated':
    'A dataset was changed. `details.changed` lists the properties; the distribution is given with its old value.',
  'dataset.published': 'A dataset was published.',
  'dataset.deleted': 'A dataset was deleted. `details.records` is the number of its records.',
  'dataset.records_deleted':
    'Records of a dataset were deleted. `details.count` is their number; `details.job_id` names the job that deletes those that matched a filter.',
  'dataset.imported':
    'Records were imported into a dataset from the hub, by a job. `details` holds the repository (`from`), the subset and the split.',
  'dataset.file_imported':
    'An import of a file into a dataset began. `details` holds the name of the file (`from`), and `dry_run` if nothing is stored.',
  'dataset.exported':
    'A dataset was exported to the hub, by a job. `details` holds the repository (`to`), the subset and the split.',
  'dataset.file_exported':
    'Records of a dataset were exported to a file. `details.format` is the format; `details.streamed` is true if no job made the file.',
  'dataset.progress_shared': 'Somebody made a public card of their progress in a dataset.',
  'field.created': 'A field was added to a dataset.',
  'field.updated': 'A field was changed. `details.changed` lists the properties.',
  'field.deleted': 'A field was deleted.',
  'question.created': 'A question was added to a dataset.',
  'question.updated':
    'A question was changed. `details.changed` lists the properties; `details.label` has the label that a job replaces in answers.',
  'question.deleted': 'A question was deleted.',
  'metadata_property.created': 'A metadata property was added to a dataset.',
  'metadata_property.updated': 'A metadata property was changed. `details.changed` lists the properties.',
  'metadata_property.deleted': 'A metadata property was deleted.',
  'vectors_settings.created': 'Vectors settings were added to a dataset.',
  'vectors_settings.updated': 'Vectors settings were changed. `details.changed` lists the properties.',
  'vectors_settings.deleted': 'Vectors settings were deleted.',
  'response.updated': 'The response of another user was changed.',
  'response.deleted': 'The response of another user was deleted.',
  'comment.deleted': 'The comment of another user was deleted.',
  'webhook.created': 'A webhook was added. The target is named by its origin: paths often hold keys.',
  'webhook.updated': 'A webhook was changed. `details.changed` lists the properties.',
  'webhook.deleted': 'A webhook was deleted.',
  'webhook.secret_rotated': 'A webhook got a new secret.',
  'webhook.delivery_resent': 'An event was delivered to a webhook once more, by an owner.',
  'webhook.paused': 'The server paused a webhook. `details.message` says why.',
  'job.retried': 'A background job that had failed was started again.',
  'job.canceled': 'A background job was canceled by an owner.',
  'server.migrated': 'The database was moved to another revision, by a start or on the command line.',
  'server.reindexed': 'The search index was built anew on the command line.',
  'server.imported':
    'The data of another server was imported on the command line. `details` holds the numbers of datasets and records.',
} as const satisfies Record<string, string>

export type AuditAction = keyof typeof AUDIT_ACTIONS

export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as AuditAction[]

type TypeOf<Action> = Action extends `${infer Type}.${string}` ? Type : never
export type AuditTargetType = TypeOf<AuditAction>

export const targetTypeOf = <A extends AuditAction>(action: A) => action.slice(0, action.indexOf('.')) as TypeOf<A>

export const AUDIT_TARGET_TYPES = [...new Set<AuditTargetType>(AUDIT_ACTION_NAMES.map(targetTypeOf))]

const AUDIT_PAGE_MAX = 500

export const AuditEntry = Shape({
  id: Id,
  action: OneOf(AUDIT_ACTION_NAMES),
  /** Null if no user was signed in, or if the server or its command line did it. */
  actor: Nullable(Shape({ id: Id, username: Text() })),
  target: Nullable(Shape({ type: OneOf(AUDIT_TARGET_TYPES), id: Id, name: Nullable(Text()) })),
  workspace_id: Nullable(Id),
  /** Client address; for IPv6 only the first 64 bits. */
  address: Nullable(Text()),
  details: Dictionary(AnyJson),
  inserted_at: Timestamp,
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditLogQuery = Shape({
  action: Optional(List(OneOf(AUDIT_ACTION_NAMES), { maxItems: AUDIT_ACTION_NAMES.length })),
  actor_id: Optional(Id),
  target_type: Optional(OneOf(AUDIT_TARGET_TYPES)),
  target_id: Optional(Id),
  /** Inclusive bounds, written like dates in record filters: `2026-11-17`, `2026-11-17T10:00`, `now-7d`. */
  since: Optional(Text(1, 100)),
  until: Optional(Text(1, 100)),
  limit: Optional(Int({ minimum: 1, maximum: AUDIT_PAGE_MAX, default: 50 })),
  before: Optional(Text(1, 100)),
})
export type AuditLogQuery = Static<typeof AuditLogQuery>

/** `next`: value of `before` for the next page of older entries; null at the end. */
export const AuditPage = Shape({ items: List(AuditEntry), next: Nullable(Text()) })
export type AuditPage = Static<typeof AuditPage>

/** Position of an entry in the list, newest first. */
export interface AuditCursor {
  inserted_at: string
  no: number
}

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})-(\d{1,15})$/

export const toCursorText = ({ inserted_at, no }: AuditCursor): string => `${inserted_at}-${no}`

/** Throws `invalid` if the text is not the `next` of a page. */
export function parseAuditCursor(text: string): AuditCursor {
  const [, inserted_at, no] = CURSOR.exec(text) ?? []
  if (inserted_at === undefined) throw invalid('`before` must be the value of `next` in an earlier answer', ['before'])
  return { inserted_at, no: Number(no) }
}

export type AuditDetails = Record<string, Json>

const NAME_LENGTH_MAX = 200
const DETAILS_LENGTH_MAX = 4_000
const DEPTH_MAX = 4

/**
 * Maximum text length and number of items in details. The next pair is used if the result of the previous one is still too long.
 */
const LIMITS = [
  { text: 200, items: 50 },
  { text: 100, items: 10 },
  { text: 40, items: 3 },
] as const
type Limits = (typeof LIMITS)[number]

/** Shortens a name for an entry if it is too long. */
export const cutName = (name: string): string => cutText(name, NAME_LENGTH_MAX)

/** Returns details as JSON of limited length, with `cut: true` if something was left out. */
export function toDetailsJson(details: AuditDetails): string {
  const whole = JSON.stringify(details)
  for (const limits of LIMITS) {
    const json = JSON.stringify(cut(details, limits, 0))
    if (json === whole && json.length <= DETAILS_LENGTH_MAX) return json
    const marked = JSON.stringify({ ...(cut(details, limits, 0) as AuditDetails), cut: true })
    if (marked.length <= DETAILS_LENGTH_MAX) return marked
  }
  return '{"cut":true}'
}

function cut(value: Json, limits: Limits, depth: number): Json {
  if (typeof value === 'string') return cutText(value, limits.text)
  if (value === null || typeof value !== 'object') return value
  if (depth >= DEPTH_MAX) return null
  if (Array.isArray(value)) return value.slice(0, limits.items).map(item => cut(item, limits, depth + 1))
  const entries = Object.entries(value).slice(0, limits.items)
  return Object.fromEntries(entries.map(([key, item]) => [cutText(key, limits.text), cut(item, limits, depth + 1)]))
}

/** Cuts by code points, so that surrogate pairs stay whole. */
function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const characters = Array.from(text.slice(0, 2 * length + 2))
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}
