/** Users, workspaces, memberships and webhooks of the source. They are few, so all are read together. */
import type { EventName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import { ROLES, type Role } from '@postil/domain/users'
import { normalizeWebhookUrl, WEBHOOK_EVENTS, webhookUrlProblem } from '@postil/domain/webhooks'
import type { Workspace } from '@postil/domain/workspaces'
import type { Membership } from '../features/workspaces/store.ts'
import { isBcryptHash } from '../lib/password.ts'
import { RowProblem, toBool, toEnum, toId, toJson, toNullableText, toText, toTime, toTimes } from './columns.ts'
import { type ImportProblems, takeRows } from './findings.ts'
import type { Source, SourceRow } from './source.ts'

export interface SourceUser {
  id: Id
  first_name: string
  last_name: string | null
  username: string
  role: Role
  api_key: string
  /** Null if password sign-in is not possible. */
  password_hash: string | null
  inserted_at: string
  updated_at: string
}

export interface SourceWebhook {
  id: Id
  url: string
  secret: string
  events: EventName[]
  enabled: boolean
  description: string | null
  inserted_at: string
  updated_at: string
}

export interface Accounts {
  users: SourceUser[]
  workspaces: Workspace[]
  memberships: Membership[]
  webhooks: SourceWebhook[]
}

const ORDER = 'order by inserted_at, id'

export async function readAccounts(source: Source, checked: ImportProblems): Promise<Accounts> {
  const userRows = await source.all(
    `select id, first_name, last_name, username, role, api_key, password_hash, inserted_at, updated_at from users ${ORDER}`,
  )
  const users = takeRows(checked, 'users', userRows, row => toUser(row, checked))
  const workspaceRows = await source.all(`select id, name, inserted_at, updated_at from workspaces ${ORDER}`)
  const workspaces = takeRows(checked, 'workspaces', workspaceRows, toWorkspace)
  const memberRows = await source.all(`select id, workspace_id, user_id, inserted_at from workspaces_users ${ORDER}`)
  const known = new Set([...users, ...workspaces].map(({ id }) => id))
  const memberships = takeRows(checked, 'workspaces_users', memberRows, row => toMembership(row, known))
  const webhookRows = await source.all(
    `select id, url, secret, events, enabled, description, inserted_at, updated_at from webhooks ${ORDER}`,
  )
  const webhooks = takeRows(checked, 'webhooks', webhookRows, row => toWebhook(row, checked))
  return { users, workspaces, memberships, webhooks }
}

function toUser(row: SourceRow, { notes }: ImportProblems): SourceUser {
  const hash = toText(row, 'password_hash')
  const user = {
    id: toId(row, 'id'),
    first_name: toText(row, 'first_name'),
    last_name: toNullableText(row, 'last_name'),
    username: toText(row, 'username'),
    role: toEnum(row, 'role', ROLES),
    api_key: toText(row, 'api_key'),
    password_hash: isBcryptHash(hash) ? hash : null,
    ...toTimes(row),
  }
  if (user.username === '') throw new RowProblem('`username` is empty')
  if (user.api_key === '') throw new RowProblem('`api_key` is empty')
  if (user.password_hash === null) {
    notes.add(`users ${user.id}: the password is not a bcrypt hash of cost 4 to 15. An owner has to set a new one.`)
  }
  return user
}

const toWorkspace = (row: SourceRow): Workspace => ({ id: toId(row, 'id'), name: toText(row, 'name'), ...toTimes(row) })

function toMembership(row: SourceRow, known: ReadonlySet<Id>): Membership {
  const membership = {
    workspace_id: toId(row, 'workspace_id'),
    user_id: toId(row, 'user_id'),
    inserted_at: toTime(row, 'inserted_at'),
  }
  if (!known.has(membership.workspace_id)) throw new RowProblem('its workspace is not there or is left out')
  if (!known.has(membership.user_id)) throw new RowProblem('its user is not there or is left out')
  return membership
}

function toWebhook(row: SourceRow, { notes }: ImportProblems): SourceWebhook {
  const id = toId(row, 'id')
  const url = toText(row, 'url')
  const problem = webhookUrlProblem(url)
  if (problem !== null) throw new RowProblem(`\`url\` ${problem}`)
  const secret = toText(row, 'secret')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(secret)) throw new RowProblem('`secret` is not base64')
  const given = toJson(row, 'events')
  if (!Array.isArray(given)) throw new RowProblem('`events` is not a list')
  const events = [...new Set(given)].filter(event => WEBHOOK_EVENTS.some(known => known === event)) as EventName[]
  if (events.length === 0) throw new RowProblem(`\`events\` has none of ${WEBHOOK_EVENTS.join(', ')}`)
  if (events.length < given.length) notes.add(`webhooks ${id}: only the events ${events.join(', ')} come along.`)
  return {
    id,
    url: normalizeWebhookUrl(url),
    secret,
    events,
    enabled: toBool(row, 'enabled'),
    description: toNullableText(row, 'description'),
    ...toTimes(row),
  }
}
