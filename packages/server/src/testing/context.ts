/** A real context for tests: SQLite in its own folder, the embedded engine, and all events recorded. No mocks. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Actor } from '@postil/domain/permissions'
import type { Role } from '@postil/domain/users'
import { readConfig } from '../config.ts'
import type { Context, RequestContext } from '../context.ts'
import type { Event, Notice } from '../events/emit.ts'
import type { Subscriber } from '../events/subscribers/all.ts'
import type { Sender } from '../http/sender.ts'
import { openSecrets } from '../lib/secrets.ts'
import { openContext } from '../open-context.ts'
import { writeMigratedFile } from './migrated-file.ts'

export interface TestContext extends Context {
  /** Events so far, in order. */
  events: Event[]
  notices: Notice[]
  close(): Promise<void>
}

export async function openTestContext(env: Record<string, string> = {}): Promise<TestContext> {
  const home = mkdtempSync(join(tmpdir(), 'postil-test-'))
  const config = readConfig({ ...env }, { homePath: home, logLevel: 'error' })
  await writeMigratedFile(config.databaseFile)
  const ctx = openContext({ config, secrets: openSecrets(home, null), readonly: false, cacheMb: 8 })
  const events: Event[] = []
  const notices: Notice[] = []
  const close = async () => {
    await ctx.search.close()
    await ctx.db.close()
    rmSync(home, { recursive: true, force: true })
  }
  const tell: Subscriber['tell'] = (_ctx, told) => {
    events.push(...told.events)
    notices.push(...told.notices)
  }
  return { ...ctx, subscribers: [{ tell }], events, notices, close }
}

/** A local program without a session. */
export const TEST_SENDER: Sender = {
  address: '127.0.0.1',
  userAgent: null,
  isSecure: false,
  isForeign: false,
  sessionHash: null,
  deviceProof: null,
  host: 'localhost',
  isPage: false,
  signIns: [],
}

/** Inserts a user directly into the database and returns a context for that user. */
export async function actAs(ctx: Context, role: Role, workspaceIds: readonly string[] = []): Promise<RequestContext> {
  const id = ctx.newId()
  const now = ctx.now()
  const username = `${role}-${id}`
  const key = ctx.apiKeys.create()
  const row = {
    id,
    username,
    role,
    first_name: role,
    last_name: null,
    password_hash: '',
    api_key_hash: ctx.apiKeys.hash(key),
    api_key_encrypted: ctx.apiKeys.encrypt(key),
    inserted_at: now,
    updated_at: now,
  }
  await ctx.db.kysely.insertInto('users').values(row).execute()
  for (const workspace_id of workspaceIds) {
    await ctx.db.kysely.insertInto('workspaces_users').values({ workspace_id, user_id: id, inserted_at: now }).execute()
  }
  const actor: Actor = { id, username, role, workspace_ids: workspaceIds }
  return { ...ctx, actor, requestId: 'test', sender: TEST_SENDER }
}

export async function addWorkspace(ctx: Context, name = `workspace-${ctx.newId()}`): Promise<string> {
  const id = ctx.newId()
  const now = ctx.now()
  await ctx.db.kysely.insertInto('workspaces').values({ id, name, inserted_at: now, updated_at: now }).execute()
  return id
}
