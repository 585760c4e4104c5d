import type { Context } from './context.ts'
import { auditCommand } from './features/audit-log/add.ts'
import { listAppliedRevisions, listTables, migrate } from './storage/migrate.ts'

interface NotedMigration {
  target: string
  /** By which the audit log names it. */
  command: string
  tell?: (line: string) => void
}

/** Migrates the database and notes that in its audit log, if the revision it is at then has one. */
export async function migrateNoted(ctx: Context, { target, command, tell }: NotedMigration): Promise<void> {
  const from = await findRevision(ctx)
  await migrate(ctx.db, target, ctx.now, tell)
  const to = await findRevision(ctx)
  if (from === to || !(await listTables(ctx.db)).includes('audit_entries')) return
  await auditCommand(ctx, 'server.migrated', { command, from, to })
}

const findRevision = async ({ db }: Context) => (await listAppliedRevisions(db)).at(-1) ?? 'base'
