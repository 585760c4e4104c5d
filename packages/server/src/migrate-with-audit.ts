import type { Context } from './context.ts'
import { auditCommand } from './features/audit-log/add.ts'
import { listAppliedRevisions, listTables, migrate } from './storage/migrate.ts'

interface AuditedMigration {
  target: string
  /** Name of the command in the audit log. */
  command: string
  tell?: (line: string) => void
}

/** Migrates the database and records it in the audit log, if the resulting revision has one. */
export async function migrateWithAudit(ctx: Context, { target, command, tell }: AuditedMigration): Promise<void> {
  const from = await findRevision(ctx)
  await migrate(ctx.db, target, ctx.now, tell)
  const to = await findRevision(ctx)
  if (from === to || !(await listTables(ctx.db)).includes('audit_entries')) return
  await auditCommand(ctx, 'server.migrated', { command, from, to })
}

const findRevision = async ({ db }: Context) => (await listAppliedRevisions(db)).at(-1) ?? 'base'
